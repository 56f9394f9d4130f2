import { type BenchRow, median } from '../report.ts';
import { configureEcho } from './echo.ts';
import { writeClaudeConversation, writeEnvelopeConversation } from './long-conversations.ts';
import { createScratch, type Scratch, startProduct } from './rig.ts';

const ENTRIES = 2000;
const RUNS = 5;
const TARGET_MS = 500;

interface Kind {
  readonly name: string;
  readonly cliType: string;
  write(scratch: Scratch, sessionId: string, entries: number): void;
}

const kinds: readonly Kind[] = [
  { name: 'Claude Code', cliType: 'claude-code', write: writeClaudeConversation },
  { name: 'a configured agent', cliType: 'echo', write: writeEnvelopeConversation },
];

/** From the subscription to the last page at the socket, right after a start, so that it is read from disk. */
export async function longHistory(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const kind of kinds) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) times.push(await openOnce(kind));
    rows.push({
      measure: `history of ${ENTRIES} entries to the socket, ${kind.name}, median of ${RUNS}`,
      value: `${median(times).toFixed(0)} ms`,
      target: `< ${TARGET_MS} ms`,
      met: median(times) < TARGET_MS,
    });
  }
  return rows;
}

async function openOnce({ cliType, write }: Kind): Promise<number> {
  const scratch = createScratch();
  configureEcho(scratch);
  const first = await startProduct(scratch);
  const sessionId = await first.createSession(cliType, scratch.projectDir);
  await first.stop();
  write(scratch, sessionId, ENTRIES);

  const server = await startProduct(scratch);
  const window = await server.window();
  await window.settled();
  const startedAt = performance.now();
  let page = await window.ask('session:subscribe', { sessionId });
  let count = page.entries?.length ?? 0;
  while (page.more) {
    page = await window.ask('session:items', { sessionId, before: page.entries?.[0]?.itemId });
    count += page.entries?.length ?? 0;
  }
  const ms = performance.now() - startedAt;
  if (count !== ENTRIES) throw new Error(`${count} entries came instead of ${ENTRIES}.`);
  await window.close();
  await server.stop();
  scratch.remove();
  return ms;
}
