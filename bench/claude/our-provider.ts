import type { CliProvider } from '../../server/engine/provider-types.ts';
import { createClaudeProvider } from '../../server/providers/claude/claude-provider.ts';
import { type Samples, timed } from './samples.ts';
import { type Scene, sinceModelAnswered, type WarmSession } from './scene.ts';

export function openProvider({ host, env, executable }: Scene): CliProvider {
  const onProblem = (message: string, error?: unknown) => {
    throw error ?? new Error(message);
  };
  return createClaudeProvider({ host, env, claudePath: executable, promptTimeoutMs: 60_000, onProblem });
}

/** A session whose process has become ready. */
export async function openOurs(scene: Scene, provider: CliProvider, samples: Samples): Promise<WarmSession> {
  const ready = becomes(provider, 'connected');
  const { value, ms } = await timed(() => provider.createSession({ projectDir: scene.projectDir }));
  samples.add('create', ms);
  await ready;
  return {
    async turn() {
      const measured = { firstToken: Number.NaN, delivery: Number.NaN };
      await sendTurn(provider, value.sessionId, (sinceSent) => {
        measured.firstToken = sinceSent;
        measured.delivery = sinceModelAnswered(scene);
      });
      return measured;
    },
    close: () => provider.killSession(value.sessionId),
  };
}

/** From creating a session to the first token, without a pause in which it could warm up. */
export async function measureOursAtOnce(scene: Scene, provider: CliProvider, samples: Samples): Promise<void> {
  const start = performance.now();
  const { sessionId } = await provider.createSession({ projectDir: scene.projectDir });
  await sendTurn(provider, sessionId, () => samples.add('ours at once', performance.now() - start));
  await provider.killSession(sessionId);
}

export async function measureOurHistory(
  { projectDir }: Scene,
  provider: CliProvider,
  nativeId: string,
  onMeasured: (ms: number) => void,
): Promise<number> {
  const sessionId = `claude-code:${nativeId}`;
  const ready = becomes(provider, 'connected');
  const { value, ms } = await timed(() => provider.loadSession(sessionId, { projectDir }));
  onMeasured(ms);
  await ready;
  await provider.killSession(sessionId);
  return value.history.length;
}

async function sendTurn(
  provider: CliProvider,
  sessionId: string,
  onFirstToken: (sinceSent: number) => void,
): Promise<void> {
  const start = performance.now();
  let hasBegun = false;
  const stopUpserts = provider.onUpsert(sessionId, (upsert) => {
    if (hasBegun || upsert.type !== 'message' || upsert.origin !== 'agent') return;
    hasBegun = true;
    onFirstToken(performance.now() - start);
  });
  const ended = new Promise<void>((resolve) => {
    const stop = provider.onTurn(sessionId, (event) => {
      if (event.type === 'turn_started') return;
      stop();
      resolve();
    });
  });
  await provider.sendMessage(sessionId, 'hello');
  await ended;
  stopUpserts();
}

function becomes(provider: CliProvider, wanted: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = provider.onStatus(({ status }) => {
      if (status !== wanted) return;
      stop();
      resolve();
    });
  });
}
