import { once } from 'node:events';
import { appendFileSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { describe, expect, it, test } from 'vitest';
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
const HOSTILE_MB = Number(process.env.LIMINAL_HOSTILE_MB ?? 20);
const golden = join(import.meta.dirname, '../../../../fixtures/golden/rollouts');

describe('a conversation in the files of Codex', () => {
  test.for(['text-thoughts-commands', 'patches', 'cancelled', 'subagent', 'compaction', 'old-0.130'])(
    'safe/no-process comes out as agreed: %s',
    async (name) => {
      const files = createCodexFiles();
      const rollout = recorded(name);
      files.write(rollout);
      files.write(recorded('subagent-child'));
      const history = await files.read(idOf(rollout));
      const lines = (history ?? []).map((item) => `${JSON.stringify(item)}\n`);
      await expect(lines.join('')).toMatchFileSnapshot(join(golden, `${name}.jsonl`));
    },
  );

  it('shows what an old terminal wrote beside us, which the agent itself leaves out', async () => {
    const files = createCodexFiles();
    const rollout = recorded('two-writers-one-old');
    files.write(rollout);
    const turns = ['X', 'Y', 'W', 'V'].flatMap((word) => [`echo:${word}`, `ANSWER(${word})`]);
    expect(texts(await files.read(idOf(rollout)))).toEqual(turns);
  });

  it('shows a message once that is stored in both ways', async () => {
    const files = createCodexFiles();
    const rows = [
      eventRow({ type: 'task_started', turn_id: 't' }),
      eventRow({ type: 'user_message', message: 'hello' }),
      question('hello'),
      reply('Hi.'),
      eventRow({ type: 'agent_message', message: 'Hi.' }),
      eventRow({ type: 'task_complete', turn_id: 't' }),
    ];
    files.write(rows.join('\n'), NATIVE_ID);
    expect(texts(await files.read())).toEqual(['hello', 'Hi.']);
  });

  it('is found in the archive, on another day and under the id that Codex gave it', async () => {
    const files = createCodexFiles();
    const rollout = [question('hello'), reply('Hi.')].join('\n');
    files.write(rollout, 'archived', 'archived_sessions');
    expect(texts(await files.read('archived'))).toEqual(['hello', 'Hi.']);
    files.write(rollout, NATIVE_ID, 'sessions/2019/02/03');
    const history = await files.read('ours', NATIVE_ID);
    expect(history?.map(({ itemId }) => itemId)).toEqual(['ours:t1:user', 'ours:t1:0:0']);
  });

  it('that does not exist is undefined, also if another id ends with its id', async () => {
    const files = createCodexFiles();
    expect(await files.read()).toBeUndefined();
    files.write(question('hello'), `x-${NATIVE_ID}`);
    expect(await files.read()).toBeUndefined();
  });

  it('is shown although lines are torn, garbage or unknown, and without its first row', async () => {
    const files = createCodexFiles();
    const rows = [
      'garbage',
      '{"type":"event_msg","payload":null}',
      '[1,2]',
      '',
      question('hello'),
      eventRow({ type: 'item_completed', item: { type: 'Hologram', id: 'h' } }),
      eventRow({ type: 'item_completed', item: { type: 'AgentMessage', id: 7, content: 'no' } }),
      eventRow({ type: 'constructor' }),
      JSON.stringify({ type: '__proto__', payload: { type: 'toString' } }),
      reply('Hi.'),
      reply('torn').slice(0, -20),
    ];
    files.write(rows.join('\n'), NATIVE_ID);
    expect(texts(await files.read())).toEqual(['hello', 'Hi.']);
  });

  it('ends before the turns that the user took back', async () => {
    const files = createCodexFiles();
    const rows = [
      question('one'),
      reply('1'),
      question('two'),
      reply('2'),
      question('three'),
      eventRow({ type: 'thread_rolled_back', num_turns: 2 }),
      question('four'),
      reply('4'),
    ];
    files.write(rows.join('\n'), NATIVE_ID);
    expect(texts(await files.read())).toEqual(['one', '1', 'four', '4']);
  });

  it('names images instead of showing their data', async () => {
    const files = createCodexFiles();
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image', image_url: `data:image/png;base64,${'A'.repeat(1000)}` },
      { type: 'local_image', path: '/home/dev/a picture.png' },
    ];
    files.write(itemRow({ type: 'UserMessage', id: 'u', content }), NATIVE_ID);
    expect(texts(await files.read())).toEqual(['look\n[image]\n[a picture.png](file:///home/dev/a%20picture.png)']);
  });

  it('is not read for ever if sub-agents name each other', async () => {
    const files = createCodexFiles();
    const activity = (id: string) =>
      itemRow({
        type: 'SubAgentActivity',
        id: `a ${id}`,
        kind: 'started',
        agent_thread_id: id,
        agent_path: '/root/x_y',
      });
    files.write([question('go'), activity('child')].join('\n'), NATIVE_ID);
    files.write([activity(NATIVE_ID), activity('child'), reply('Done.')].join('\n'), 'child');
    const history = await files.read();
    expect(texts(history)).toEqual(['go', 'Agent', 'Done.']);
    expect(history?.[1]).toMatchObject({ toolArguments: { name: 'X y' }, background: true });
  });

  it(`follow/hostile opens with lines of ${HOSTILE_MB} MB, and says where they are`, { timeout: 60_000 }, async () => {
    const files = createCodexFiles();
    const path = files.write(`${question('hello')}\n`, NATIVE_ID);
    const long = Buffer.alloc(HOSTILE_MB * 1024 * 1024, '<b>x</b>{"');
    appendFileSync(path, long);
    appendFileSync(
      path,
      `\n${itemRow({ type: 'AgentMessage', id: 'm', content: [{ type: 'Text', text: '' }] }).slice(0, -9)}`,
    );
    appendFileSync(path, long);
    appendFileSync(
      path,
      `\n${JSON.stringify({ type: 'response_item', payload: { type: 'message' } }).slice(0, -2)},"x":"`,
    );
    appendFileSync(path, long);
    appendFileSync(path, `\n${reply('<script>alert(1)</script>')}\n`);
    const blocked = watchEventLoop();
    const shown = texts(await files.read());
    const said = expect.stringMatching(/^A part of \d+ MB stands here/);
    expect(shown).toEqual(['hello', said, said, '<script>alert(1)</script>']);
    expect(texts((await files.newest())?.history)).toEqual(shown);
    expect(blocked()).toBeLessThan(200);
  });

  it(`of ${LARGE_MB} MB does not block the server for long`, { timeout: 120_000 }, async () => {
    const files = createCodexFiles();
    const file = createWriteStream(files.write('', NATIVE_ID));
    const bulk = JSON.stringify({ type: 'response_item', payload: { type: 'message', text: 'x'.repeat(190_000) } });
    for (let turn = 0; turn < LARGE_MB * 5; turn += 1) {
      const rows = [question(`q${turn}`), bulk, reply(`a${turn} ${'word '.repeat(2_000)}`)];
      if (!file.write(`${rows.join('\n')}\n`)) await once(file, 'drain');
    }
    file.end();
    await finished(file);
    const blocked = watchEventLoop();
    const history = await files.read();
    expect(history).toHaveLength(LARGE_MB * 10);
    expect(blocked()).toBeLessThan(100);
  });
});

/** The longest time that nothing else could run, in milliseconds of the processor: other programs do not count. */
function watchEventLoop(): () => number {
  const now = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
  let last = now();
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, now() - last);
    last = now();
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
