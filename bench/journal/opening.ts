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
  /** From the journal, in a server that has opened another session before. */
  readonly again: number;
  /** From the journal, as the first thing after a start. */
  readonly afterStart: number;
}

/** From the subscription to the first page at the socket. The session is never in memory before. */
export async function opening(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const entries of SIZES) {
    const { first, again, afterStart } = await openOften(entries);
    rows.push({
      measure: `first page of ${entries.toLocaleString('en')} entries to the socket, from the journal, median of ${RUNS}`,
      value: `${again.toFixed(0)} ms (${afterStart.toFixed(0)} as the first thing after a start; ${first.toFixed(0)} when the journal does not have them yet)`,
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
  const other = await creating.createSession('claude-code', scratch.projectDir);
  await creating.stop();
  writeClaudeConversation(scratch, sessionId, entries);
  writeClaudeConversation(scratch, other, 10);

  async function open(isFirst: boolean): Promise<number> {
    const server = await startProduct(scratch);
    const window = await server.window();
    await window.settled();
    if (!isFirst) await window.ask('session:subscribe', { sessionId: other });
    const startedAt = performance.now();
    const page = await window.ask('session:subscribe', { sessionId });
    const ms = performance.now() - startedAt;
    if ((page.entries?.length ?? 0) < Math.min(entries, 200)) throw new Error('The page is too short.');
    await window.close();
    await server.stop();
    return ms;
  }

  const first = await open(false);
  const [again, afterStart]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run += 1) {
    again.push(await open(false));
    afterStart.push(await open(true));
  }
  scratch.remove();
  return { first, again: median(again), afterStart: median(afterStart) };
}
