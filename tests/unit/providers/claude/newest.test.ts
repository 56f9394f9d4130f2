import { once } from 'node:events';
import { copyFileSync, createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import {
  type HistoryRequest,
  readHistory,
  translateEntries,
} from '../../../../server/providers/claude/transcript/history.ts';
import { readNewestEntries } from '../../../../server/providers/claude/transcript/newest-entries.ts';
import { readNewest } from '../../../../server/providers/claude/transcript/newest-history.ts';
import { watchEventLoop } from '../../../support/event-loop.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const recordings = join(import.meta.dirname, '../../../fixtures/traces/continuity');
const names = readdirSync(recordings).filter((name) => !name.includes('registry'));
const MEGABYTES = Number(process.env.LIMINAL_TRANSCRIPT_MB ?? 20);

function sessionIn(home: string): { readonly file: string; readonly request: HistoryRequest } {
  const folder = join(home, 'projects', '-project');
  mkdirSync(folder, { recursive: true });
  const request = {
    env: { CLAUDE_CONFIG_DIR: home },
    nativeId: 'session',
    projectDir: '/project',
    sessionId: 'claude-code:session',
    providerId: 'claude-code',
    now: () => '2026-01-01T00:00:00.000Z',
  };
  return { file: join(folder, 'session.jsonl'), request };
}

test.for(names)('follow/large the newest turns of %s are the end of its history', async (name) => {
  const { file, request } = sessionIn(scratchDirectory());
  copyFileSync(join(recordings, name), file);
  const whole = (await readHistory(request)) ?? [];
  let parts = 0;
  for (const block of [500, 2_000, 5_000, 10_000, 20_000, 40_000]) {
    const newest = await readNewestEntries(file, block, 16 * block);
    if (newest === undefined || newest.isWhole) continue;
    const items = await translateEntries(newest.entries, [], request);
    expect(items.length).toBeGreaterThan(0);
    expect(items).toEqual(whole.slice(-items.length));
    parts += 1;
  }
  expect(parts).toBeGreaterThanOrEqual(name.includes('deleted') || name.includes('clear') ? 0 : 1);
});

test('follow/large a small conversation is read whole', async () => {
  const { file, request } = sessionIn(scratchDirectory());
  expect(await readNewest(request)).toBeUndefined();
  copyFileSync(join(recordings, 'claude-two-writers-p.jsonl'), file);
  const newest = await readNewest(request);
  expect(newest).toMatchObject({ isWhole: true, stamp: expect.any(String) });
  expect(newest?.history).toEqual(await readHistory(request));
});

test('follow/large a checkpoint that stands too far back is not guessed', async () => {
  const { file } = sessionIn(scratchDirectory());
  const row = (n: number) =>
    JSON.stringify({ type: 'user', uuid: `u${n}`, parentUuid: n ? `u${n - 1}` : null, message: { content: 'hello' } });
  const rows = Array.from({ length: 200 }, (_, n) => row(n));
  writeFileSync(file, [row(0), JSON.stringify({ type: 'last-prompt', leafUuid: 'u0' }), ...rows.slice(1)].join('\n'));
  expect(await readNewestEntries(file, 500, 4_000)).toBeUndefined();
  writeFileSync(file, [...rows, JSON.stringify({ type: 'last-prompt', leafUuid: 'u199' })].join('\n'));
  expect(await readNewestEntries(file, 500, 4_000)).toMatchObject({ isWhole: false });
});

/** Turns of a few kilobytes each, with calls, as long conversations have them. */
async function writeLarge(file: string, bytes: number): Promise<void> {
  const out = createWriteStream(file);
  let parent: string | null = null;
  const add = (type: string, uuid: string, message: object) => {
    const row = { parentUuid: parent, isSidechain: false, type, message, uuid, timestamp: '2026-01-01T00:00:00.000Z' };
    parent = uuid;
    return out.write(`${JSON.stringify(row)}\n`);
  };
  const text = 'word '.repeat(400);
  for (let n = 0; out.bytesWritten + out.writableLength < bytes; n += 1) {
    add('user', `u${n}`, { role: 'user', content: `prompt ${n}` });
    add('assistant', `c${n}`, { id: `m${n}`, content: [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: {} }] });
    add('user', `r${n}`, { content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: text }] });
    if (!add('assistant', `a${n}`, { id: `n${n}`, content: [{ type: 'text', text }] })) {
      await once(out, 'drain');
    }
  }
  out.end(`${JSON.stringify({ type: 'last-prompt', leafUuid: parent })}\n`);
  await finished(out);
}

test('follow/large the newest turns of a large transcript are read at once, and all of it without standing still', {
  timeout: 120_000,
}, async () => {
  const { file, request } = sessionIn(scratchDirectory());
  await writeLarge(file, MEGABYTES * 1e6);
  await readNewest(request);
  const before = process.cpuUsage();
  const newest = await readNewest(request);
  const { user, system } = process.cpuUsage(before);
  expect(newest?.isWhole).toBe(false);
  expect(newest?.history.length).toBeGreaterThan(50);
  expect((user + system) / 1_000).toBeLessThan(300);

  const longest = watchEventLoop();
  const whole = await readHistory(request);
  expect(longest()).toBeLessThan(200);
  expect(whole?.slice(-(newest?.history.length ?? 0))).toEqual(newest?.history);
  if (process.env.LIMINAL_TRANSCRIPT_MB)
    process.stdout.write(`newest ${(user + system) / 1_000} ms, longest ${longest()} ms\n`);
});
