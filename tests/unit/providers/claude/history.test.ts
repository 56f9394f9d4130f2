import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHistory } from '../../../../server/providers/claude/transcript/history.ts';
import { upsertObjectSchema } from '../../../../shared/stream-contracts.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures');
const transcripts = join(fixtures, 'traces/claude/transcripts');
const NATIVE_ID = 'recorded';
const PROJECT = '/home/dev/project';

/** A home of Claude Code with a transcript of the session in a project folder of this name. */
function homeWith(place: (folder: string) => void, folder = '-home-dev-project') {
  const home = scratchDirectory();
  const project = join(home, 'projects', folder);
  mkdirSync(project, { recursive: true });
  place(project);
  return home;
}

const copyOf = (name: string) => (project: string) => {
  cpSync(join(transcripts, `${name}.jsonl`), join(project, `${NATIVE_ID}.jsonl`));
  cpSync(join(transcripts, name), join(project, NATIVE_ID), { recursive: true, force: true });
};

const withEntries = (entries: readonly (object | string)[]) => (project: string) => {
  const lines = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
  writeFileSync(join(project, `${NATIVE_ID}.jsonl`), lines.join('\n'));
};

const historyIn = (home: string) =>
  readHistory({
    env: { CLAUDE_CONFIG_DIR: home },
    nativeId: NATIVE_ID,
    projectDir: PROJECT,
    sessionId: 'claude-code:recorded',
    providerId: 'claude-code',
    now: () => '2026-01-01T00:00:00.000Z',
  });

const contents = async (home: string) =>
  (await historyIn(home))?.map((item) => (item.type === 'tool_call' ? item.toolName : item.content));

let clock = 0;
const entry = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  type,
  uuid,
  parentUuid,
  timestamp: new Date(Date.UTC(2026, 0, 1) + ++clock).toISOString(),
  message: { role: type, content, ...(type === 'assistant' && { id: `msg-${uuid}` }) },
  ...more,
});

test.for(['everything', 'compacted', 'retries-errors-background'])(
  'the transcript "%s" matches its golden file',
  async (name) => {
    const home = homeWith(
      name === 'everything'
        ? copyOf(name)
        : (project) => {
            cpSync(join(transcripts, `${name}.jsonl`), join(project, `${NATIVE_ID}.jsonl`));
          },
    );
    const history = (await historyIn(home)) ?? [];
    for (const item of history) upsertObjectSchema.parse(item);
    const text = history.map((item) => `${JSON.stringify(item)}\n`).join('');
    await expect(text).toMatchFileSnapshot(join(fixtures, 'golden/claude/history', `${name}.jsonl`));
    expect(await historyIn(home)).toEqual(history);
  },
);

test('a session without a transcript has no history', async () => {
  expect(await historyIn(homeWith(() => {}))).toBeUndefined();
  expect(await historyIn(scratchDirectory())).toBeUndefined();
});

test('a transcript in another project folder is found', async () => {
  const home = homeWith(withEntries([entry('user', 'u1', null, 'hello')]), '-somewhere-else');
  expect(await contents(home)).toEqual(['hello']);
});

test('messages on an abandoned branch are not shown', async () => {
  const home = homeWith(
    withEntries([
      entry('user', 'u1', null, 'first'),
      entry('assistant', 'a1', 'u1', [{ type: 'text', text: 'answer' }]),
      entry('user', 'u2', 'a1', 'left behind'),
      entry('assistant', 'a2', 'u2', [{ type: 'text', text: 'also left behind' }]),
      entry('user', 'u3', 'a1', 'another way'),
      entry('assistant', 'a3', 'u3', [{ type: 'text', text: 'another answer' }]),
    ]),
  );
  expect(await contents(home)).toEqual(['first', 'answer', 'another way', 'another answer']);
});

test('parallel calls keep their results, although these have different parent entries', async () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
  const done = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];
  const message = { id: 'one', role: 'assistant' };
  const home = homeWith(
    withEntries([
      entry('user', 'u1', null, 'both'),
      { ...entry('assistant', 'a1', 'u1', []), message: { ...message, content: [call('c1')] } },
      { ...entry('assistant', 'a2', 'a1', []), message: { ...message, content: [call('c2')] } },
      entry('user', 'r1', 'a1', done('c1', 'one')),
      entry('user', 'r2', 'a2', done('c2', 'two')),
      entry('assistant', 'a3', 'r2', [{ type: 'text', text: 'done' }]),
    ]),
  );
  expect(await historyIn(home)).toMatchObject([
    { itemId: 'u1:user' },
    { itemId: 'u1:1:0', toolOutput: 'one' },
    { itemId: 'u1:1:1', toolOutput: 'two' },
    { itemId: 'u1:2:0', content: 'done' },
  ]);
});

test('a call without a result is not complete', async () => {
  const home = homeWith(
    withEntries([
      entry('user', 'u1', null, 'run'),
      entry('assistant', 'a1', 'u1', [{ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'x' } }]),
    ]),
  );
  expect(await historyIn(home)).toMatchObject([{}, { toolName: 'Bash', status: 'error' }]);
});

test('images, unknown blocks, unknown entries, torn lines and meta entries break nothing', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const home = homeWith(
    withEntries([
      { type: 'from-the-future', uuid: 5, anything: true },
      'not JSON',
      '[]',
      entry('user', 'u1', null, [{ type: 'text', text: 'look' }, image]),
      entry('user', 'm1', 'u1', '<system-reminder>hidden</system-reminder>', { isMeta: true }),
      entry('assistant', 'a1', 'm1', [
        { type: 'hologram' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'text', text: 'seen' },
      ]),
      entry('assistant', 's1', 'a1', [{ type: 'text', text: 'side chain' }], { isSidechain: true }),
      entry('user', 'r1', 'a1', [{ type: 'tool_result', tool_use_id: 'unknown', content: [image] }]),
      '{"type":"assistant","uuid":"torn","mess',
    ]),
  );
  expect(await historyIn(home)).toMatchObject([
    { itemId: 'u1:user', content: 'look\n[image: image/png]' },
    { itemId: 'u1:1:2', content: 'seen' },
    { toolName: 'unknown', toolOutput: '[image: image/png]' },
  ]);
});

test('messages that were merged into one entry are split by the queue entries', async () => {
  const merged = { mergedSendUuids: ['u1'] };
  const enqueue = (content: string) => ({ type: 'queue-operation', operation: 'enqueue', content });
  const home = homeWith(
    withEntries([enqueue('one\ntwo'), enqueue('three'), entry('user', 'u2', null, 'one\ntwo\nthree', merged)]),
  );
  expect(await historyIn(home)).toMatchObject([
    { itemId: 'u1:user', content: 'one\ntwo' },
    { itemId: 'u2:user', content: 'three' },
  ]);
  const unknown = homeWith(withEntries([entry('user', 'u2', null, 'one\ntwo', merged)]));
  expect(await historyIn(unknown)).toMatchObject([{ itemId: 'u2:user', content: 'one\ntwo' }]);
});

test('a message that joins a turn of the agent takes over the turn, one that joins a user turn does not', async () => {
  const taken = (uuid: string, parent: string, source: string) => ({
    ...entry('attachment', uuid, parent, ''),
    attachment: { type: 'queued_command', commandMode: 'prompt', prompt: `from ${source}`, source_uuid: source },
  });
  const answer = (uuid: string, parent: string) =>
    entry('assistant', uuid, parent, [{ type: 'text', text: `answer ${uuid}` }]);
  const woken = '<task-notification><summary>It is over.</summary></task-notification>';
  const home = homeWith(
    withEntries([
      entry('user', 'u1', null, 'asked'),
      taken('x', 'u1', 's1'),
      answer('a1', 'x'),
      entry('user', 'n1', 'a1', woken),
      answer('a2', 'n1'),
      taken('y', 'a2', 's2'),
      answer('a3', 'y'),
    ]),
  );
  expect((await historyIn(home))?.map((item) => item.itemId)).toEqual([
    'u1:user',
    's1:user',
    'u1:1:0',
    'self-msg-a2:cause',
    'self-msg-a2:1:0',
    's2:user',
    's2:1:0',
  ]);
});

test('a text that nobody typed is the cause of a turn of the agent, not a message of the user', async () => {
  const home = homeWith(
    withEntries([
      entry('user', 'u1', null, 'Check the build.', { promptSource: 'system' }),
      entry('assistant', 'a1', 'u1', [{ type: 'text', text: 'It is green.' }]),
    ]),
  );
  expect(await historyIn(home)).toMatchObject([
    { itemId: 'self-msg-a1:cause', origin: 'system', content: 'Check the build.' },
    { itemId: 'self-msg-a1:1:0', origin: 'agent' },
  ]);
});

test('the placeholder that Claude Code writes for a killed turn is not shown as an answer', async () => {
  const filler = entry('assistant', 'b', 'a', [{ type: 'text', text: 'No response requested.' }]);
  const home = homeWith(
    withEntries([
      entry('user', 'a', null, 'the killed turn'),
      { ...filler, message: { ...filler.message, model: '<synthetic>' } },
      entry('user', 'c', 'b', 'the next one'),
      entry('assistant', 'd', 'c', [{ type: 'text', text: 'No response requested.' }]),
    ]),
  );
  expect(await contents(home)).toEqual(['the killed turn', 'the next one', 'No response requested.']);
});
