import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeptConversation } from '../../server/journal/journal.ts';
import { openJournal } from '../../server/journal/open-journal.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import { type BenchRow, median } from '../report.ts';

const SESSIONS = 1_000;
const ENTRIES = 1_000;
const AT = '2026-01-01T00:00:00.000Z';
const PARAGRAPH = 'A paragraph of the usual length, so that a conversation weighs what conversations weigh. ';

/** A million items: half of them texts of 100 to 700 characters, half of them tool calls with their output. */
export async function manyItems(): Promise<BenchRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'liminal-bench-'));
  const journal = await openJournal({ dataDir, thread: 'worker', warn: console.error });
  let content = 0;
  const startedAt = performance.now();
  for (let session = 0; session < SESSIONS; session += 1) {
    const conversation = conversationOf(`bench:session-${session}`);
    content += JSON.stringify(conversation.entries).length;
    await journal.replace(`bench:session-${session}`, conversation, undefined);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const { bytes, items } = await journal.size();
  await journal.close();

  const again = await openJournal({ dataDir, thread: 'worker', warn: console.error });
  const cold = await timed(() => again.open('bench:session-500'));
  const warm: number[] = [];
  for (let run = 0; run < 20; run += 1) warm.push(await timed(() => again.open(`bench:session-${run * 7}`)));
  await again.close();
  rmSync(dataDir, { recursive: true });
  const perItem = bytes / items;
  return [
    {
      measure: `database of ${items.toLocaleString('en')} items in ${SESSIONS.toLocaleString('en')} sessions`,
      value: `${(bytes / 1e6).toFixed(0)} MB, ${perItem.toFixed(0)} bytes per item (${(content / items).toFixed(0)} as JSON), written in ${seconds.toFixed(0)} s`,
    },
    {
      measure:
        'newest page of a session in it, 1,000 entries, in the process: first use with the start of the worker / median',
      value: `${cold.toFixed(0)} / ${median(warm).toFixed(0)} ms`,
    },
  ];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function conversationOf(sessionId: string): KeptConversation {
  const turnOf = (index: number) => `0190cafe-0000-7000-8000-${String(Math.floor(index / 10)).padStart(12, '0')}`;
  const entries = Array.from({ length: ENTRIES }, (_, index): UpsertObject => {
    const turnId = turnOf(index);
    const common = {
      sessionId,
      turnId,
      itemId: `${turnId}:${index % 10}:0`,
      sourceTimestamp: AT,
      emittedAt: AT,
      status: 'complete' as const,
    };
    const text = PARAGRAPH.repeat(1 + (index % 8));
    if (index % 2 === 0) return { ...common, type: 'message', origin: 'agent', content: text };
    const call = {
      toolName: 'Bash',
      toolArguments: { command: 'npm test' },
      callId: `toolu_${index}`,
      toolKind: 'execute' as const,
    };
    return { ...common, type: 'tool_call', ...call, toolOutput: text, exitCode: 0 };
  });
  const ids = [...new Set(entries.map(({ turnId }) => turnId))];
  return { entries, turns: ids.map((turnId) => ({ turnId, status: 'completed', startedAt: AT, endedAt: AT })) };
}
