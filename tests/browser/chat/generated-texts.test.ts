import { describe, expect, it } from 'vitest';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { agentMessage, toolCall } from '../../fixtures/conversation/upserts.ts';
import { generateMarkdown, generateOutput } from '../../fixtures/hostile/generated-texts.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { traceTasks } from '../rig/cpu-trace.ts';
import { formatted, history, prepare } from './rig/prepared.ts';
import { useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

const TEXTS = Number(process.env.LIMINAL_HEAVY_TEXTS ?? 150);
const OUTPUTS = Number(process.env.LIMINAL_HEAVY_OUTPUTS ?? 100);
const FIRST_SEED = Number(process.env.LIMINAL_HEAVY_SEED ?? 0);
const BATCH = 250;
/** Processor time in milliseconds that the page may be blocked for at once. */
const LIMIT_MS = 200;

/** Loads sessions with the items of these numbers, scrolls through them and returns every task that took too long. */
async function findBlocked(count: number, createItem: (seed: number, index: number) => UpsertObject) {
  const found: string[] = [];
  let longest = 0;
  for (let first = 0; first < count; first += BATCH) {
    const rig = await sessionPage.start();
    const length = Math.min(BATCH, count - first);
    const items = Array.from({ length }, (_, index) => createItem(FIRST_SEED + first + index, index));
    const open = await prepare(rig, history(items));
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await open();
      await rig.mountAll(items.length);
      // Some never end; they must not hold up the test.
      await formatted(rig, 20);
    });
    await rig.context.close();
    longest = Math.max(longest, ...tasks);
    const blocked = tasks.filter((ms) => ms > LIMIT_MS);
    if (blocked.length > 0) found.push(`seeds from ${FIRST_SEED + first}: ${blocked.join(', ')} ms`);
    if (count > BATCH) console.info(`${first + length} of ${count}, longest task ${Math.round(longest)} ms`);
  }
  return found;
}

describe('generated text', () => {
  it('safe/frozen-text never blocks the page', async () => {
    const item = (seed: number, index: number) => agentMessage(`t1:0:${index}`, generateMarkdown(createRandom(seed)));
    expect(await findBlocked(TEXTS, item)).toEqual([]);
  }, 10_800_000);

  it('safe/frozen-output never blocks the page', async () => {
    const item = (seed: number, index: number) =>
      toolCall(
        `t1:0:${index}`,
        'Bash',
        { command: 'x' },
        { toolKind: 'execute', toolOutput: generateOutput(createRandom(seed)), toolOutputIsError: true },
      );
    expect(await findBlocked(OUTPUTS, item)).toEqual([]);
  }, 10_800_000);
});
