import { systemClock } from '../../server/clock.ts';
import { decidePermission } from '../../server/engine/permission.ts';
import type { CliProvider } from '../../server/engine/provider-types.ts';
import { createAcpProvider } from '../../server/providers/acp/acp-provider.ts';
import { createCodexAgent } from '../../server/providers/acp/agents/codex-agent.ts';
import { toCanonical } from '../../shared/ids.ts';
import type { Scene } from './scene.ts';
import { type Duration, measureStarts, measureSteps, type Steps, time } from './steps.ts';

/** Closing the provider stops Codex, which takes two seconds; kill it first. */
function openProvider({ env, host }: Scene): { provider: CliProvider; stop: () => Promise<unknown> } {
  const started: { kill(reason: string): Promise<unknown> }[] = [];
  const provider = createAcpProvider({
    agent: createCodexAgent({ env }),
    host: {
      ...host,
      spawn(request) {
        const hosted = host.spawn(request);
        started.push(hosted);
        return hosted;
      },
    },
    env,
    clock: systemClock,
    decidePermission,
    startTimeoutMs: 60_000,
    promptTimeoutMs: 600_000,
    version: '0.0.0-bench',
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  return {
    provider,
    async stop() {
      const closed = provider.close();
      await Promise.all(started.map((hosted) => hosted.kill('measured')));
      await closed;
    },
  };
}

export async function measureOurs(scene: Scene, longSession: string, longTurns: number): Promise<Steps> {
  const { projectDir } = scene;
  const { running, took: start } = await measureStarts(async () => {
    const opened = openProvider(scene);
    await opened.provider.reconnect();
    return opened;
  });
  const { provider, stop } = running;
  try {
    return await measureSteps(start, {
      newSession: () => provider.createSession({ projectDir }),
      turn: ({ sessionId }, text) => measureTurn(provider, sessionId, text),
      async load() {
        const { history } = await provider.loadSession(toCanonical('codex', longSession), { projectDir });
        if (history.length === 2 * longTurns) return;
        throw new Error(`Expected ${2 * longTurns} items from ${longTurns} turns, got ${history.length}.`);
      },
    });
  } finally {
    await stop();
  }
}

async function measureTurn(provider: CliProvider, sessionId: string, text: string): Promise<Duration> {
  const ended = new Promise<void>((resolve) => {
    const stop = provider.onTurn(sessionId, ({ type }) => {
      if (type === 'turn_started') return;
      stop();
      resolve();
    });
  });
  let sent: Promise<unknown> = Promise.resolve();
  const { took } = await time(
    () =>
      new Promise<void>((resolve, reject) => {
        const stop = provider.onUpsert(sessionId, (upsert) => {
          if (upsert.type !== 'message' || upsert.origin !== 'agent') return;
          stop();
          resolve();
        });
        sent = provider.sendMessage(sessionId, text);
        sent.catch(reject);
      }),
  );
  await Promise.all([sent, ended]);
  return took;
}
