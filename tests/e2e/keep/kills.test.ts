import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  claudeEnvironment,
  fail,
  prepareCodexHome,
  type Rule,
  type ScriptedModel,
  say,
  shell,
  startScriptedModel,
  think,
} from '../../../scripted-model/index.ts';
import { program } from '../../support/processes/program.ts';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import type { ProductClient } from '../../support/product/product-client.ts';
import { type ProductScene, prepareProductScene } from '../../support/product/product-scene.ts';
import type { ServerProcess } from '../../support/product/server-process.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { expectContext, expectKept } from './check-kept.ts';
import { isIdle, type Shown, type ShownWindow, showSession } from './shown-window.ts';

const AGENTS = ['claude-code', 'codex', 'fixture'] as const;
const KILLS = Number(process.env.LIMINAL_KILLS ?? 6);
const SEED = Number(process.env.LIMINAL_KILLS_SEED ?? 1);
const ROUNDS = Math.max(1, Math.ceil(KILLS / AGENTS.length));
const [PACED = ''] = program('paced-agent').args;

const slowly = { wordsPerChunk: 1, msBetweenChunks: 40 };
const idOf = (prompt: string) => prompt.split(' ')[1] ?? '';
const rules: readonly Rule[] = [
  {
    when: /^work /,
    scenario: ({ prompt }) => [
      [
        think(`Thought-${idOf(prompt)} ${'on '.repeat(12)}end.`, slowly),
        say(`First-${idOf(prompt)} ${'one '.repeat(14)}end.`, slowly),
        shell(`sleep 0.3; echo tool ${idOf(prompt)}`),
      ],
      [say(`Second-${idOf(prompt)} ${'two '.repeat(24)}end.`, slowly)],
    ],
  },
  { when: /^more /, scenario: ({ prompt }) => [[say(`More-${idOf(prompt)} ${'three '.repeat(10)}end.`, slowly)]] },
  { when: /^greet /, scenario: ({ prompt }) => [[say(`Hello-${idOf(prompt)}.`)]] },
  { when: /^refuse /, scenario: [[fail(400, 'scripted refusal')]] },
  { when: /^context /, scenario: [[say('Here.')]] },
];

let product: BuiltProduct;
beforeAll(async () => {
  product = await buildProduct({ withAgents: true });
});
afterAll(() => product.remove());

type Server = ServerProcess & ProductClient;
type Random = ReturnType<typeof createRandom>;

interface Bed {
  readonly cliType: string;
  readonly scene: ProductScene;
  readonly model: ScriptedModel;
  readonly start: () => Promise<Server>;
  server: Server;
}

async function turnIn(window: ShownWindow, server: Server, sessionId: string, text: string): Promise<string> {
  const turnId = await server.send(sessionId, text);
  await window.until(({ turns }) => (turns.get(turnId)?.status ?? 'running') !== 'running');
  return turnId;
}

/** A turn that was completed, failed or cancelled before, so that there is an end to keep. */
async function earlierTurn(
  bed: Bed,
  window: ShownWindow,
  sessionId: string,
  id: string,
  random: Random,
): Promise<string> {
  const { server } = bed;
  const kind = random.pick(['greet', 'refuse', 'cancel']);
  if (kind !== 'cancel') {
    await turnIn(window, server, sessionId, `${kind} ${id}-0.`);
    return `${kind} ${id}-0.`;
  }
  const text = `work ${id}-0.`;
  await server.send(sessionId, text);
  await window.until(({ items }) =>
    [...items.values()].some((item) => 'content' in item && item.content.startsWith('First')),
  );
  await server.post(`/api/session/${encodeURIComponent(sessionId)}/cancel`);
  await window.until(isIdle);
  return text;
}

/** Kills the agent's processes: all of them, or of Codex only the program behind the adapter. */
function killAgent({ scene, server }: Bed, random: Random): void {
  const pids = scene.survivors().filter((pid) => pid !== server.pid);
  const inner = pids.filter((pid) => commandOf(pid).includes('app-server'));
  for (const pid of inner.length > 0 && random.below(2) === 0 ? inner : pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function contextOf(bed: Bed, window: ShownWindow, sessionId: string, text: string): Promise<string> {
  const turnId = await turnIn(window, bed.server, sessionId, text);
  if (bed.cliType !== 'fixture') {
    const request = bed.model.requests.findLast(({ conversation }) => conversation.prompt === text);
    return JSON.stringify(request?.body);
  }
  const answer = [...window.shownAt(Number.POSITIVE_INFINITY).items.values()].find(
    (item) => item.turnId === turnId && item.type === 'message' && item.origin === 'agent',
  );
  return Buffer.from(answer?.type === 'message' ? answer.content : '', 'base64').toString();
}

async function round(bed: Bed, id: string, random: Random): Promise<void> {
  const sessionId = await bed.server.createSession(bed.cliType, bed.scene.projectDir);
  const window = await showSession(bed.server, sessionId);
  const sent = [await earlierTurn(bed, window, sessionId, id, random)];
  const send = async (text: string) => {
    await bed.server.send(sessionId, text);
    sent.push(text);
  };
  await send(`work ${id}-1.`);
  const queued = pause(random.below(1_500))
    .then(() => send(`more ${id}-2.`))
    .catch(() => undefined);
  await pause(random.below(4_500));
  const killsServer = random.below(3) > 0;
  let before: Shown;
  if (killsServer) {
    const killedAt = Date.now();
    await bed.server.stop('SIGKILL');
    await queued;
    before = window.shownAt(killedAt - 1_000);
  } else {
    killAgent(bed, random);
    await queued;
    await window.until(isIdle);
    before = window.shownAt(Number.POSITIVE_INFINITY);
    await bed.server.stop('SIGKILL');
  }
  bed.server = await bed.start();
  const again = await showSession(bed.server, sessionId);
  const after = again.shownAt(Number.POSITIVE_INFINITY);
  expectKept(before, after, sent);
  expectContext(after, await contextOf(bed, again, sessionId, `context ${id}.`));
  await again.close();
}

test.each(AGENTS)(
  `keep/kill-server keep/kill-agent keep/exactly-once what %s showed is there after each of ${ROUNDS} kills, and the model has what the page says`,
  async (cliType) => {
    const model = await startScriptedModel({ rules, keepRequests: 50 });
    onTestFinished(() => model.close());
    const scene = await prepareProductScene(PACED, async (home) => {
      const agent = { baseUrl: model.url, home };
      return { ...claudeEnvironment(agent), ...(await prepareCodexHome(agent)) };
    });
    const start = () => scene.start([process.execPath, product.main]);
    const bed: Bed = { cliType, scene, model, start, server: await start() };
    const failures: string[] = [];
    for (let number = 0; number < ROUNDS; number += 1) {
      const seed = SEED * 1_000 + number;
      const id = `r${String(seed).padStart(6, '0')}`;
      await round(bed, id, createRandom(seed)).catch(async (error: unknown) => {
        failures.push(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
        await bed.server.stop('SIGKILL');
        bed.server = await start();
      });
    }
    expect(failures).toEqual([]);
    await bed.server.stop();
    expect(scene.survivors()).toEqual([]);
  },
  60_000 * ROUNDS,
);
