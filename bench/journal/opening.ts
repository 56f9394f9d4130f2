import { configureEcho } from '../product/echo.ts';
import { writeClaudeConversation } from '../product/long-conversations.ts';
import { createScratch, startProduct } from '../product/rig.ts';
import { type BenchRow, median } from '../report.ts';

const SIZES: readonly number[] = [200, 2_000, 20_000];
const RUNS = 5;
const TARGET_MS = 150;

interface Opened {
  /** The journal does not have the conversation yet: it is read from the agent's transcript. */
  readonly first: number;
  readonly again: number;
}

/** From the subscription to the first page at the socket, right after a start of the server. */
export async function opening(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const entries of SIZES) {
    const { first, again } = await openOften(entries);
    rows.push({
      measure: `first page of ${entries.toLocaleString('en')} entries to the socket, after a restart, median of ${RUNS}`,
      value: `${again.toFixed(0)} ms (${first.toFixed(0)} ms when the journal does not have them yet)`,
      target: `≤ ${TARGET_MS} ms`,
      met: again <= TARGET_MS,
    });
  }
  return rows;
}

async function openOften(entries: number): Promise<Opened> {
  const scratch = createScratch();
  configureEcho(scratch);
  const creating = await startProduct(scratch);
  const sessionId = await creating.createSession('claude-code', scratch.projectDir);
  await creating.stop();
  writeClaudeConversation(scratch, sessionId, entries);

  async function open(): Promise<number> {
    const server = await startProduct(scratch);
    const window = await server.window();
    await window.settled();
    const startedAt = performance.now();
    const page = await window.ask('session:subscribe', { sessionId });
    const ms = performance.now() - startedAt;
    if ((page.entries?.length ?? 0) < Math.min(entries, 200)) throw new Error('The page is too short.');
    await window.close();
    await server.stop();
    return ms;
  }

  const first = await open();
  const again: number[] = [];
  for (let run = 0; run < RUNS; run += 1) again.push(await open());
  scratch.remove();
  return { first, again: median(again) };
}
