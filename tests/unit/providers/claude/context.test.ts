import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KnownContext } from '../../../../server/engine/native-sessions.ts';
import { createContextReader } from '../../../../server/providers/claude/transcript/context-reader.ts';
import { readModelContext } from '../../../../server/providers/claude/transcript/model-messages.ts';
import { selectBranch } from '../../../../server/providers/claude/transcript/transcript-branch.ts';
import type { TranscriptEntry } from '../../../../server/providers/claude/transcript/transcript-entry.ts';
import { readEntries } from '../../../../server/providers/claude/transcript/transcript-lines.ts';
import { growTree } from '../../../../server/providers/claude/transcript/transcript-tree.ts';
import { doAtOnce } from '../../../../server/time-slice.ts';
import { watchEventLoop } from '../../../support/event-loop.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const recordings = join(import.meta.dirname, '../../../fixtures/traces/continuity');
const RESUMED = { cliType: 'claude-code', resumes: true };

function fileWith(lines: readonly (string | object)[], end = '\n'): string {
  const file = join(scratchDirectory(), 'session.jsonl');
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + end);
  return file;
}

const linesOf = (name: string) =>
  readFileSync(join(recordings, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

const contextOf = (file: string, options = RESUMED): Promise<KnownContext> => createContextReader().read(file, options);

async function entriesOf(file: string): Promise<TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  await readEntries(file, (entry) => entries.push(entry));
  return entries;
}

/** The texts of the messages that the model is given, each message as one string. */
async function textsOf(file: string, resumes = true): Promise<string[]> {
  const { messages } = doAtOnce(readModelContext(doAtOnce(growTree(await entriesOf(file))), { resumes }));
  return messages.map(({ parts }) =>
    parts
      .map(({ text }) => text.trim())
      .filter(Boolean)
      .join(' | '),
  );
}

// The numbers are those of the requests that Claude Code 2.1.325 sent after it resumed these conversations.
test.for([
  ['claude-terminal', { state: 'resumed', messages: 16 }, []],
  ['claude-two-writers', { state: 'resumed', messages: 20 }, [{ turns: 2, text: 'echo:tui B' }]],
  ['claude-two-writers-p', { state: 'resumed', messages: 6 }, [{ turns: 2, text: 'echo:Y' }]],
  ['claude-rewound', { state: 'resumed', messages: 6 }, [{ turns: 2, text: 'echo:r2' }]],
  ['claude-truncated', { state: 'resumed', messages: 8 }, []],
  ['claude-compact-manual', { state: 'compacted', messages: 4, at: '2026-11-16T02:08:57.943Z' }, []],
  ['claude-compact-auto', { state: 'compacted', messages: 6, at: '2026-11-16T02:09:41.385Z' }, []],
  ['claude-clear-after', { state: 'cleared', messages: 2, at: '2026-11-16T02:08:58.481Z' }, []],
  ['claude-deleted-while-live', { state: 'reset', messages: 4, reason: expect.stringContaining('beginning') }, []],
] as const)('follow/context the recording %s gives what the model got', async ([name, context, branches]) => {
  const known = await contextOf(join(recordings, `${name}.jsonl`));
  expect(known.context).toEqual(context);
  expect(known.branches).toMatchObject(branches);
  expect(known.branches).toHaveLength(branches.length);
});

test('follow/branches what is shown after two writers is what the model is given, not what stands last', async () => {
  const entries = await entriesOf(join(recordings, 'claude-two-writers-p.jsonl'));
  const shown = doAtOnce(selectBranch(entries)).flatMap((entry) =>
    entry.type === 'user' && typeof entry.message?.content === 'string' ? [entry.message.content] : [],
  );
  expect(shown).toEqual(['echo:X', 'echo:W', 'echo:U']);
  expect(
    (await textsOf(join(recordings, 'claude-two-writers-p.jsonl'))).filter((text) => text.startsWith('echo')),
  ).toEqual(shown);
});

test('follow/branches a compaction leaves what came before it to be seen', async () => {
  const entries = await entriesOf(join(recordings, 'claude-compact-auto.jsonl'));
  const shown = doAtOnce(selectBranch(entries)).filter((entry) => entry.type === 'user');
  expect(shown).toHaveLength(7);
});

let seconds = 0;
const row = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  parentUuid,
  type,
  uuid,
  timestamp: new Date(Date.UTC(2026, 0, 1) + ++seconds * 1_000).toISOString(),
  message: { role: type, content, ...(type === 'assistant' && { id: `msg-${uuid}` }) },
  ...more,
});
const ask = (uuid: string, parent: string | null, more: object = {}) => row('user', uuid, parent, `ask ${uuid}`, more);
const answer = (uuid: string, parent: string, more: object = {}) =>
  row('assistant', uuid, parent, [{ type: 'text', text: `answer ${uuid}` }], more);
const checkpoint = (leafUuid: string) => ({ type: 'last-prompt', leafUuid });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `result ${id}` }];
const turn = (n: number, parent: string | null) => [ask(`u${n}`, parent), answer(`a${n}`, `u${n}`)];
const first = turn(1, null);
const later = (entry: object, ms: number) => ({
  ...entry,
  timestamp: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000 + ms).toISOString(),
});

/** One turn, of which the answer is preserved, and one after it. */
const compaction = [
  ...turn(1, null),
  row('system', 'b', null, '', {
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'manual', preservedMessages: { anchorUuid: 'summary', uuids: ['a1'] } },
  }),
  row('user', 'summary', 'b', 'a summary', { isCompactSummary: true }),
  ...turn(2, 'summary'),
];

const both = ['ask u1', 'answer a1', 'ask u2', 'answer a2'];

// Each was tried on Claude Code 2.1.325.
test.for<[string, readonly (object | string)[], readonly string[]]>([
  ['goes on from the last entry', [...turn(1, null), ...turn(2, 'a1')], both],
  ['goes on from the checkpoint', [...turn(1, null), ...turn(2, 'a1'), ...turn(3, 'a1'), checkpoint('a2')], both],
  ['goes on from what descends from the checkpoint', [...turn(1, null), checkpoint('a1'), ...turn(2, 'a1')], both],
  [
    'ignores a checkpoint that was withdrawn',
    [...turn(1, null), ...turn(3, 'a1'), checkpoint('a3'), ...turn(2, 'a1'), checkpoint('00000000')],
    both,
  ],
  [
    'ignores a checkpoint that belongs to no message',
    [...turn(1, null), row('system', 's1', 'gone', ''), checkpoint('s1'), ...turn(2, 'a1')],
    both,
  ],
  [
    'ignores a checkpoint after a compaction that is not the last message of a branch',
    [...compaction, row('system', 's1', 'a2', ''), ...turn(3, 's1'), ...turn(4, 'a2'), checkpoint('s1')],
    ['a summary', 'answer a1', 'ask u2', 'answer a2', 'ask u4', 'answer a4'],
  ],
  [
    'goes on from a checkpoint after a compaction that is the last message of a branch',
    [...compaction, ...turn(3, 'a2'), row('system', 's1', 'a3', ''), ...turn(4, 'a2'), checkpoint('a3')],
    ['a summary', 'answer a1', 'ask u2', 'answer a2', 'ask u3', 'answer a3'],
  ],
  [
    'leaves the place of an entry that is written again at the end',
    [...first, ...turn(2, 'a1'), ...first.slice(1)],
    both,
  ],
  ['skips lines that are not entries', [...turn(1, null), '<html>', 'null', '{"type":', ...turn(2, 'a1')], both],
  [
    'takes the last of entries with the same id',
    [ask('u1', null), { ...ask('u1', null), message: { content: 'again' } }, answer('a1', 'u1')],
    ['again', 'answer a1'],
  ],
  ['stops at an entry without a parent', [...turn(1, null), ...turn(2, null)], ['ask u2', 'answer a2']],
  [
    'leaves out everything before a missing entry',
    [...turn(1, null), later(ask('u2', 'gone'), 60_000), answer('a2', 'u2')],
    ['ask u2', 'answer a2'],
  ],
  [
    'goes on with what was written up to 5 s before an entry whose parent is missing',
    [...turn(1, null), later(ask('u2', 'gone'), 4_000), answer('a2', 'u2')],
    both,
  ],
  ['breaks a cycle like a missing parent', [...turn(1, null), ask('u2', 'a2'), answer('a2', 'u2')], both],
  [
    'stands in for an answer that was cut short',
    [...turn(1, null), ask('u2', 'a1')],
    ['ask u1', 'answer a1', 'ask u2', 'No response requested.'],
  ],
  [
    'stands in for the result of a call that was cut short',
    [ask('u1', null), row('assistant', 'a1', 'u1', [call('c1')])],
    ['ask u1', 'Bash', '[Tool call interrupted:', 'No response requested.'],
  ],
  [
    'gives the results of calls made at once, whatever their parents',
    [
      ask('u1', null),
      row('assistant', 'a1', 'u1', [call('c1')], { message: { id: 'one', content: [call('c1')] } }),
      row('assistant', 'a2', 'a1', [call('c2')], { message: { id: 'one', content: [call('c2')] } }),
      row('user', 'r2', 'a2', result('c2')),
      row('user', 'r1', 'a1', result('c1')),
      answer('a3', 'r1'),
    ],
    ['ask u1', 'Bash | Bash', 'result c2 | result c1', 'answer a3'],
  ],
  [
    'gives no result without its call',
    [ask('u1', null), answer('a1', 'u1'), row('user', 'r1', 'a1', result('gone')), answer('a2', 'r1')],
    ['ask u1', 'answer a1', 'answer a2'],
  ],
  [
    'gives no call without a result once the conversation went on',
    [
      ask('u1', null),
      row('assistant', 'a1', 'u1', [{ type: 'text', text: 'I run it.' }, call('c1')]),
      ...turn(2, 'a1'),
    ],
    ['ask u1', 'I run it.', 'ask u2', 'answer a2'],
  ],
  [
    'leaves out errors, blank answers and thoughts alone',
    [
      ask('u1', null),
      answer('a1', 'u1', {
        isApiErrorMessage: true,
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'Error' }] },
      }),
      ask('u2', 'a1'),
      row('assistant', 'a2', 'u2', [{ type: 'text', text: ' \n' }]),
      ask('u3', 'a2'),
      row('assistant', 'a3', 'u3', [{ type: 'thinking', thinking: 'Hm' }]),
      ...turn(4, 'a3'),
    ],
    ['ask u1 | ask u2 | ask u3 | ask u4', 'answer a4'],
  ],
  [
    'adds commands and their output to the next prompt',
    [
      ...turn(1, null),
      row('user', 'k1', 'a1', '<local-command-caveat>The command below</local-command-caveat>', { isMeta: true }),
      row('user', 'k2', 'k1', '<command-name>/clear</command-name>'),
    ],
    ['ask u1', 'answer a1'],
  ],
])('follow/context Claude Code %s', async ([, lines, texts]) => {
  const file = fileWith(lines);
  expect(await textsOf(file)).toEqual(texts);
  expect((await contextOf(file)).context.messages).toBe(texts.length);
});

test('follow/context a running process does not stand in for an answer that was cut short', async () => {
  const file = fileWith([...turn(1, null), ask('u2', 'a1')]);
  expect((await contextOf(file, { ...RESUMED, resumes: false })).context.messages).toBe(2);
});

test.for<[string, readonly object[], object]>([
  ['nothing was said', [{ type: 'mode' }], { state: 'fresh', messages: 0 }],
  [
    'it is a fork',
    [
      ...turn(1, null).map((entry) => ({ ...entry, forkedFrom: { sessionId: 'other', messageUuid: 'x' } })),
      ...turn(2, 'a1'),
    ],
    { state: 'forked', messages: 4, from: 'claude-code:other', at: expect.any(String) },
  ],
  [
    'the first entry continues what is gone',
    turn(2, 'gone'),
    { state: 'reset', messages: 2, reason: expect.any(String) },
  ],
  [
    'entries of unknown types hide the newest messages',
    [...turn(1, null), checkpoint('a1'), { ...ask('n1', 'a1'), type: 'novel' }, ...turn(2, 'n1')],
    { state: 'reset', messages: 2, reason: expect.stringContaining('version') },
  ],
])('follow/context says so if %s', async ([, lines, context]) => {
  expect((await contextOf(fileWith(lines))).context).toEqual(context);
});

test('follow/context a transcript that cannot be read is unknown', async () => {
  const { context } = await contextOf(join(scratchDirectory(), 'missing.jsonl'));
  expect(context).toEqual({ state: 'unknown', reason: expect.stringContaining('ENOENT') });
});

test('follow/context what is added, replaced or torn is noticed by the next look', async () => {
  const file = join(scratchDirectory(), 'session.jsonl');
  cpSync(join(recordings, 'claude-two-writers-p.jsonl'), file);
  const reader = createContextReader();
  const look = async () => (await reader.read(file, RESUMED)).context;
  expect(await look()).toEqual({ state: 'resumed', messages: 6 });
  const [first, second] = linesOf('claude-two-writers-p').flatMap((line) => (line.includes('372807') ? [line] : []));
  expect([first, second]).toHaveLength(2);
  appendFileSync(file, JSON.stringify(ask('u9', JSON.parse(first ?? '').uuid)));
  expect((await look()).messages).toBe(8);
  appendFileSync(file, '\n{"type":"assis');
  expect((await look()).messages).toBe(8);
  writeFileSync(file, linesOf('claude-clear-after').join('\n'));
  expect(await look()).toMatchObject({ state: 'cleared', messages: 2 });
});

test('follow/branches the newest 20 other branches are listed, each with what the conversation lacks', async () => {
  const lines = [...turn(1, null), ...Array.from({ length: 25 }, (_, n) => turn(n + 2, 'a1')).flat()];
  const { branches } = await contextOf(fileWith([...lines, ...turn(99, 'a26'), checkpoint('a2')]));
  expect(branches).toHaveLength(20);
  expect(branches[0]).toEqual({ id: 'a99', at: expect.any(String), turns: 2, text: 'ask u26' });
  expect(branches[1]).toMatchObject({ id: 'a25', turns: 1, text: 'ask u25' });
});

test('follow/branches another answer to a message is a branch', async () => {
  const lines = [...turn(1, null), checkpoint('u1'), answer('a2', 'u1'), ...turn(3, 'a1'), checkpoint('a2')];
  const { branches } = await contextOf(fileWith(lines));
  expect(branches).toMatchObject([{ id: 'a3', turns: 1, text: 'ask u3' }]);
});

test('follow/hostile long lines, many rows and cycles never keep the server from other work', async () => {
  const folder = scratchDirectory();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'hostile.jsonl');
  const long = JSON.stringify(row('user', 'long', 'a1', 'x'.repeat(40_000_000)));
  const rows = Array.from({ length: 10_000 }, (_, n) => JSON.stringify(row('user', `r${n}`, `r${n + 1}`, 'x')));
  writeFileSync(file, [...turn(1, null).map((entry) => JSON.stringify(entry)), long, ...rows].join('\n'));
  const longest = watchEventLoop();
  const { context } = await contextOf(file);
  expect(context).toEqual({ state: 'unknown', reason: expect.stringContaining('too long') });
  expect(longest()).toBeLessThan(200);
});
