import { once } from 'node:events';
import { appendFileSync, createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { describe, expect, it, test } from 'vitest';
import { createRandom } from '../../../../support/seeded-random.ts';
import {
  createCodexFiles,
  eventRow,
  idOf,
  itemRow,
  NATIVE_ID,
  question,
  recorded,
  reply,
  texts,
} from './rollout-rig.ts';

const LARGE_MB = Number(process.env.LIMINAL_ROLLOUT_MB ?? 20);
const ROUNDS = Number(process.env.LIMINAL_NEWEST_ROUNDS ?? 8);

/** The newest turns are the end of the whole history, word for word. */
async function expectEnd(files: ReturnType<typeof createCodexFiles>, nativeId = NATIVE_ID): Promise<number> {
  const whole = (await files.read(nativeId)) ?? [];
  const newest = await files.newest(nativeId);
  const history = newest?.history ?? [];
  expect(history).toEqual(whole.slice(whole.length - history.length));
  if (newest !== undefined) expect(newest.isWhole).toBe(history.length === whole.length);
  return history.length;
}

const activity = (id: string) =>
  itemRow({ type: 'SubAgentActivity', id: `a ${id}`, kind: 'started', agent_thread_id: id, agent_path: `/root/${id}` });

describe('the newest turns of a Codex conversation', () => {
  test.for([
    'text-thoughts-commands',
    'patches',
    'cancelled',
    'subagent',
    'compaction',
    'old-0.130',
    'two-writers-one-old',
  ])('follow/large are the end of the whole history: %s', async (name) => {
    const files = createCodexFiles();
    const rollout = recorded(name);
    files.write(rollout);
    files.write(recorded('subagent-child'));
    expect(await expectEnd(files, idOf(rollout))).toBeGreaterThan(0);
  });

  it(`follow/large are the end of the whole history in ${ROUNDS} random conversations that grow`, async () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const random = createRandom(seed);
      const files = createCodexFiles();
      files.write([activity('c'), reply('child a')].join('\n'), 'a');
      files.write(reply('child c'), 'c');
      const path = files.write('', NATIVE_ID);
      let count = 0;
      for (let step = 0; step < 4; step += 1) {
        const rows: string[] = [];
        for (let turn = 0; turn < 5 + random.below(30); turn += 1) {
          count += 1;
          const text = `${count} ${'word '.repeat(random.below(20_000))}`;
          rows.push(eventRow({ type: 'task_started', turn_id: `turn ${count}` }));
          const kind = random.below(12);
          if (kind === 0) rows.push(eventRow({ type: 'user_message', message: text }), question(text, `q${count}`));
          else if (kind === 1) rows.push(eventRow({ type: 'user_message', message: text }));
          else if (kind > 2 || count > 1) rows.push(question(text, `q${count}`));
          if (kind === 3) rows.push(activity(['a', 'b', 'c'][random.below(3)] ?? 'a'));
          rows.push(reply(`re ${count}`));
          if (kind === 4) rows.push(eventRow({ type: 'thread_rolled_back', num_turns: random.below(4) }));
          if (kind === 5) rows.push('garbage', '{"type":"event_msg","payload":');
        }
        appendFileSync(path, `${rows.join('\n')}\n`);
        await expectEnd(files);
      }
    }
  });

  it('follow/large follow a fork into the file that it was forked from', async () => {
    const files = createCodexFiles();
    const before = `${[question('one'), reply('1'), question('two'), reply('2')].join('\n')}\n`;
    files.write(`${before}${question('three')}\n`, NATIVE_ID);
    const base = { thread_id: NATIVE_ID, end_byte_offset: Buffer.byteLength(before) };
    const meta = JSON.stringify({ type: 'session_meta', payload: { id: 'fork', history_base: base } });
    files.write(`${[meta, question('four'), reply('4')].join('\n')}\n`, 'fork');
    expect(await expectEnd(files, 'fork')).toBe(6);
    expect(texts((await files.newest('fork'))?.history)).toEqual(['one', '1', 'two', '2', 'four', '4']);
  });

  it(`follow/large of ${LARGE_MB} MB are there within 300 ms`, { timeout: 120_000 }, async () => {
    const files = createCodexFiles();
    const file = createWriteStream(files.write('', NATIVE_ID));
    const bulk = JSON.stringify({ type: 'response_item', payload: { type: 'message', text: 'x'.repeat(1_000) } });
    for (let turn = 0; turn < LARGE_MB * 10; turn += 1) {
      const rows = [question(`q${turn}`), ...Array<string>(90).fill(bulk), reply(`a${turn} ${'word '.repeat(300)}`)];
      if (!file.write(`${rows.join('\n')}\n`)) await once(file, 'drain');
    }
    file.end();
    await finished(file);
    const began = cpuMs();
    const newest = await files.newest();
    const took = cpuMs() - began;
    expect(newest?.history.length).toBeGreaterThan(10);
    expect(newest?.isWhole).toBe(false);
    expect(texts(newest?.history)?.at(-2)).toBe(`q${LARGE_MB * 10 - 1}`);
    expect(newest?.history.at(-1)?.itemId).toContain(`:t${LARGE_MB * 10}:`);
    expect(took).toBeLessThan(300);
  });
});

/** Of the processor: other programs do not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
