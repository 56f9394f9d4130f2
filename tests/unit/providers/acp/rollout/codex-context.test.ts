import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { createContextReader, readModelMessages } from '../../../../../server/providers/acp/rollout/codex-context.ts';
import { createCodexFiles, eventRow, idOf, NATIVE_ID, question, recorded, reply, texts } from './rollout-rig.ts';

const AT = '2026-11-16T16:50:31.654Z';
let ordinal = 0;

function row(type: string, payload: object): string {
  ordinal += 1;
  return JSON.stringify({ timestamp: AT, ordinal, type, payload });
}

const meta = (fields: object = {}, id = NATIVE_ID) =>
  row('session_meta', { id, timestamp: AT, history_mode: 'paginated', ...fields });
const message = (role: string, text: string, kind?: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  ...(kind !== undefined && { internal_chat_message_metadata_passthrough: { content_item_kinds: [kind] } }),
});
const said = (role: string, text: string, kind?: string) => row('response_item', message(role, text, kind));
const turn = (text: string) => [
  said('user', text, 'user.text'),
  question(text),
  reply(`re ${text}`),
  said('assistant', `re ${text}`),
];

function setUp() {
  const files = createCodexFiles();
  const env = { CODEX_HOME: files.home };
  const read = createContextReader(env);
  return {
    ...files,
    put: (rows: readonly string[], id = NATIVE_ID) => files.write(`${rows.join('\n')}\n`, id),
    context: async (storedId = NATIVE_ID, wasUsed = true) =>
      (await read({ cliType: 'codex', storedId, wasUsed })).context,
    messages: async (storedId = NATIVE_ID) => (await readModelMessages(env, storedId))?.map(({ text }) => text),
  };
}

/** Rows without an ordinal never stand last in a file of Codex since 0.150. */
const end = () => row('event_msg', { type: 'task_complete', turn_id: 't' });

describe('what the model is given of a Codex conversation', () => {
  it('follow/context counts the messages of the user and the model, and nothing that Codex adds', async () => {
    const { put, context, messages } = setUp();
    put([
      meta(),
      said('developer', 'Be good.'),
      said('user', '<environment_context>x</environment_context>'),
      said('user', 'looks like a message', 'environments.environment_context'),
      said('user', '<environment_context> is what I ask about', 'user.text'),
      row('response_item', { type: 'reasoning', summary: [] }),
      row('response_item', { type: 'function_call', name: 'x', arguments: '{}', call_id: 'c' }),
      said('assistant', 'Fine.', 'unknown'),
      'garbage',
      '{"type":"hologram","payload":{"type":"message"},"ordinal":1}',
      end(),
      said('assistant', 'torn').slice(0, -20),
    ]);
    expect(await messages()).toEqual(['<environment_context> is what I ask about', 'Fine.']);
    expect(await context()).toEqual({ state: 'resumed', messages: 2 });
  });

  it('follow/context is what a compaction left and what came after it', async () => {
    const { put, context, messages } = setUp();
    const summary = 'Another language model started to solve this problem and so on';
    const kept = [message('user', 'one', 'user.text'), message('developer', 'Be good.'), message('user', summary)];
    put([
      meta(),
      ...turn('one'),
      row('compacted', { message: summary, replacement_history: kept }),
      ...turn('two'),
      ...turn('three'),
      row('event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
    ]);
    expect(await messages()).toEqual(['one', summary, 'two', 're two']);
    expect(await context()).toEqual({ state: 'compacted', messages: 4, at: AT });
  });

  test.for([
    { taken: 1, left: ['one', 're one'] },
    { taken: 2, left: [] },
    { taken: 9, left: [] },
    { taken: 0, left: ['one', 're one', 'two', 're two'] },
  ])('follow/context ends before $taken turns that were taken back', async ({ taken, left }) => {
    const { put, messages } = setUp();
    put([meta(), ...turn('one'), ...turn('two'), row('event_msg', { type: 'thread_rolled_back', num_turns: taken })]);
    expect(await messages()).toEqual(left);
  });

  test.for([
    { taken: 1, left: 3, told: 'compaction.summary' },
    { taken: 2, left: 1, told: 'compaction.summary' },
    { taken: 1, left: 3, told: undefined },
    { taken: 2, left: 1, told: undefined },
  ])(
    'follow/context after a compaction the summary is a message and no turn ($taken, $told)',
    async ({ taken, left, told }) => {
      const { put, messages } = setUp();
      const summary = 'Another language model started to solve this problem.';
      const kept = ['one', 'two'].map((text) => message('user', text, 'user.text'));
      put([
        meta(),
        row('compacted', { message: '', replacement_history: [...kept, message('user', summary, told)] }),
        ...turn('three'),
        row('event_msg', { type: 'thread_rolled_back', num_turns: taken }),
      ]);
      expect(await messages()).toEqual(['one', 'two', summary].slice(0, left));
    },
  );

  it('follow/context a fork has what came before it in the other file, up to where it was forked', async () => {
    const { put, context, messages, read } = setUp();
    const before = `${[meta(), ...turn('one')].join('\n')}\n`;
    const parent = put([before.trimEnd(), ...turn('two'), end()]);
    const base = { thread_id: NATIVE_ID, end_ordinal_exclusive: 9, end_byte_offset: Buffer.byteLength(before) };
    const fork = '01a1e6ab-3711-7483-9075-cef1648a4085';
    put([meta({ forked_from_id: NATIVE_ID, history_base: base }, fork), ...turn('other'), end()], fork);
    expect(await messages(fork)).toEqual(['one', 're one', 'other', 're other']);
    expect(texts(await read(fork))).toEqual(['one', 're one', 'other', 're other']);
    expect(await context(fork)).toEqual({ state: 'forked', messages: 4, at: AT, from: `codex:${NATIVE_ID}` });

    writeFileSync(parent, '');
    expect(await context(fork)).toMatchObject({ state: 'unknown' });
  });

  it('follow/context a conversation that was taken back goes on in a second file, and the first is left', async () => {
    const { put, context, messages, read } = setUp();
    const before = `${[meta(), ...turn('one')].join('\n')}\n`;
    put([before.trimEnd(), ...turn('two'), end()]);
    const base = { thread_id: NATIVE_ID, end_ordinal_exclusive: 9, end_byte_offset: Buffer.byteLength(before) };
    const revision = `${NATIVE_ID}_01a1e6ae-34e9-7771-94f2-9702aba8419b`;
    put([meta({ history_base: base }), ...turn('again'), end()], revision);
    expect(texts(await read())).toEqual(['one', 're one', 'again', 're again']);
    expect(await messages()).toEqual(['one', 're one', 'again', 're again']);
    expect(await context()).toEqual({ state: 'resumed', messages: 4 });

    const third = `${NATIVE_ID}_01a1e6ae-3e0c-79c3-af0e-73ca1198434d`;
    put([meta(), ...turn('from the start'), end()], third);
    expect(texts(await read())).toEqual(['from the start', 're from the start']);
  });

  it('follow/context is not known where Codex refuses to open the conversation', async () => {
    const { put, context, messages } = setUp();
    const base = { thread_id: 'gone', end_ordinal_exclusive: 1, end_byte_offset: 1 };
    put([meta({ history_base: base }), ...turn('one'), end()], 'orphan');
    put(turn('one'), 'headless');
    put([meta(), ...turn('one'), end(), eventRow({ type: 'user_message', message: 'by an old version' })], 'old-end');
    for (const id of ['orphan', 'headless', 'old-end', 'missing']) {
      expect(await context(id), id).toEqual({ state: 'unknown', reason: expect.stringMatching(/\.$/) });
    }
    expect(await messages('orphan')).toBeUndefined();
  });

  it('follow/context is fresh before the first message', async () => {
    const { put, context } = setUp();
    expect(await context(NATIVE_ID, false)).toEqual({ state: 'fresh', messages: 0 });
    put([meta(), said('developer', 'Be good.')]);
    expect(await context()).toEqual({ state: 'fresh', messages: 0 });
  });

  it('follow/context goes on where the file ended, and begins anew if it was written anew', async () => {
    const { put, context } = setUp();
    const path = put([meta(), ...turn('one'), end()]);
    expect(await context()).toMatchObject({ messages: 2 });
    appendFileSync(path, `${[...turn('two'), end()].join('\n')}\n`);
    expect(await context()).toMatchObject({ messages: 4 });
    appendFileSync(path, said('user', 'three', 'user.text').slice(0, -5));
    expect(await context()).toMatchObject({ messages: 4 });
    const rows = readFileSync(path, 'utf8').split('\n');
    writeFileSync(
      path,
      `${[rows[0], 'garbage that moves all that follows', ...rows.slice(1, -1), ...turn('4')].join('\n')}\n`,
    );
    expect(await context()).toMatchObject({ messages: 6 });
    expect(await context()).toMatchObject({ messages: 6 });
  });

  test.for([
    { name: 'old-0.130', shown: 1, state: 'resumed', messages: 2 },
    { name: 'two-writers-one-old', shown: 4, state: 'resumed', messages: 8 },
  ])('follow/old-formats $name has all its turns, on the screen and for the model', async (given) => {
    const { write, read, context, messages } = setUp();
    const rollout = recorded(given.name);
    write(rollout);
    const history = (await read(idOf(rollout))) ?? [];
    const asked = history.flatMap((item) => (item.type === 'message' && item.origin === 'user' ? [item.content] : []));
    expect(asked).toHaveLength(given.shown);
    expect((await messages(idOf(rollout)))?.filter((_text, index) => index % 2 === 0)).toEqual(asked);
    expect(await context(idOf(rollout))).toEqual({ state: given.state, messages: given.messages });
  });
});
