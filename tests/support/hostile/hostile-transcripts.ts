import { createRandom } from '../seeded-random.ts';

type Random = ReturnType<typeof createRandom>;

/** Values of every kind, as they appear where a program expects another kind. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'constructor',
  '__proto__',
  'toString',
  'not a date',
  '99999-99-99T99:99:99Z',
  '2026-02-31T25:61:61.000Z',
  '\uD800 lone \uDC00',
  '\u0000\u001b[31m\u202E',
  '<task-notification><status>constructor</status></task-notification>',
  '<command-name>x',
  'Exit code 99999999999999999999999',
  [],
  {},
  [null],
  [[[[]]]],
  { type: 'text' },
  { type: 'tool_use', id: 'c1', name: 'constructor', input: [] },
  { type: 'tool_result', tool_use_id: 'nowhere', content: { a: 1 } },
  { length: 5 },
  JSON.parse('{"toString":"x","valueOf":1,"toJSON":"y","then":true,"constructor":{"name":3}}'),
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
];

/** Nested this deep, a value exceeds the stack of a function that calls itself for every level. */
const DEEP = 50_000;

export const nested = (depth: number): string => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;

/** A value in which some parts are replaced, removed, repeated or renamed. */
export function mutate(value: unknown, random: Random, rate = 12): unknown {
  if (random.below(rate) === 0) return random.pick(ODD_VALUES);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutate(item, random, rate));
    return random.below(rate) === 0 ? [...items, ...items, ...items.reverse()] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (random.below(rate * 2) === 0) return [];
    const name =
      random.below(rate * 4) === 0 ? random.pick(['__proto__', 'constructor', 'type', 'uuid', 'message']) : key;
    return [[name, mutate(inner, random, rate)]];
  });
  return Object.fromEntries(entries);
}

/** The lines of a transcript after mutation: changed, dropped, repeated, swapped, cut or made of something else. */
export function mutateLines(lines: readonly string[], seed: number): string[] {
  const random = createRandom(seed);
  const changed = lines.flatMap((line): string[] => {
    const fate = random.below(20);
    if (fate === 0) return [];
    if (fate === 1) return [line, line];
    if (fate === 2) return [line.slice(0, random.below(line.length))];
    if (fate === 3) return [JSON.stringify(random.pick(ODD_VALUES))];
    if (fate < 12) return [JSON.stringify(mutate(JSON.parse(line), random))];
    return [line];
  });
  if (random.below(4) === 0) changed.reverse();
  return changed;
}

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

const entry = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: object = {}): string =>
  JSON.stringify({
    type,
    uuid,
    parentUuid,
    timestamp: at(0),
    message: { role: type, content, ...(type === 'assistant' && { id: `msg-${uuid}` }) },
    ...more,
  });

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const text = (content: string) => ({ type: 'text', text: content });
const call = (id: string, name = 'Bash', input: unknown = {}) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown = 'done') => ({ type: 'tool_result', tool_use_id: id, content });
const asked = entry('user', 'u1', null, 'Hello');

const BLOCKS = 200_000;

/** Transcripts of Claude Code that nobody would write by accident. */
export const hostileTranscripts: Readonly<Record<string, () => string[]>> = {
  'a tool with the name of a built-in property': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1', 'constructor'), call('c2', '__proto__'), call('c3', 'toString')]),
  ],
  'arguments nested too deep': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1', 'Bash', 'DEEP')]).replace('"DEEP"', nested(DEEP)),
  ],
  'a result nested too deep': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1')]),
    entry('user', 'r1', 'a1', [result('c1', 'DEEP')], { toolUseResult: 'DEEP' }).replaceAll('"DEEP"', nested(DEEP)),
  ],
  'content nested too deep': () => [
    asked,
    entry('assistant', 'a1', 'u1', 'DEEP').replace('"DEEP"', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
    entry('user', 'u2', 'a1', 'DEEP').replace('"DEEP"', nested(DEEP)),
  ],
  'a message of many texts': () => [
    asked,
    entry(
      'assistant',
      'a1',
      'u1',
      many(BLOCKS, () => text('x')),
    ),
  ],
  'a message of many calls': () => [
    asked,
    entry(
      'assistant',
      'a1',
      'u1',
      many(BLOCKS / 4, (index) => call(`c${index}`)),
    ),
  ],
  'a message of many results': () => [
    asked,
    entry(
      'user',
      'r1',
      'u1',
      many(BLOCKS, (index) => result(`c${index}`)),
    ),
  ],
  'many messages': () => [asked, ...many(BLOCKS / 20, (index) => entry('assistant', `a${index}`, 'u1', [text('x')]))],
  'parents in a circle': () => [
    entry('user', 'u1', 'a1', 'Hello'),
    entry('assistant', 'a1', 'u1', [text('x')]),
    entry('user', 'u1', 'u1', 'Again'),
    entry('assistant', 'a1', 'a1', [text('y')]),
  ],
  'the same id everywhere': () => [
    asked,
    ...many(50, () => entry('assistant', 'u1', 'u1', [call('c1'), result('c1')])),
  ],
  'results before their calls': () => [
    entry('user', 'r1', null, [result('c1')]),
    asked,
    entry('user', 'r2', 'u1', [result('c2')]),
    entry('assistant', 'a1', 'r2', [call('c1'), call('c2')]),
  ],
  'empty ids': () => [entry('user', '', null, 'Hello'), entry('assistant', '', '', [text('x'), call(' ')])],
  'an exit code that is no number': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1')]),
    entry('user', 'r1', 'a1', [{ ...result('c1', `Exit code ${'9'.repeat(400)}`), is_error: true }]),
  ],
  'lone surrogates and controls in every text': () => [
    entry('user', 'u1', null, '\uD800\u0000\u202E'),
    entry('assistant', 'a1', 'u1', [text('\uDC00'), call('\uD800', '\uD800', { '\uD800': '\uDC00' })]),
  ],
  'keys that change prototypes': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1', 'Bash', 'PROTO')]).replace(
      '"PROTO"',
      '{"__proto__":{"a":1},"constructor":1}',
    ),
    '{"type":"user","__proto__":{"uuid":"u9"},"message":{"content":"x"}}',
  ],
  'text that looks like the end of many background tasks': () => [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1')]),
    entry('user', 'r1', 'a1', [result('c1', 'Async agent launched successfully.\n'.repeat(40_000))]),
    entry('user', 'r2', 'a1', [result('c1', '[Subagent hand-back] The report follows:\n'.repeat(40_000))]),
    entry('user', 'u2', 'a1', `<task-notification>${'<status><summary><task-id>'.repeat(30_000)}`),
    entry('user', 'u3', 'a1', '<bash-stdout><local-command-stdout>'.repeat(30_000)),
    entry('user', 'u4', 'a1', '<command-name><command-args>'.repeat(30_000)),
  ],
  'one line of a megabyte that is no JSON': () => [asked, '{"type":"user","message":'.repeat(40_000)],
  'nothing but line ends': () => many(200_000, () => ''),
};

/** Sub-agents of which each calls the next one many times under the same id, and the last one the first. */
export function callingSubAgents(
  count: number,
  calls: number,
): { readonly main: string[]; readonly agents: string[][] } {
  const callsOf = (index: number) => many(calls, () => call(`c${index % count}`, 'Agent'));
  return {
    main: [asked, entry('assistant', 'a1', 'u1', callsOf(0))],
    agents: many(count, (index) => [entry('assistant', `s${index}`, null, callsOf(index + 1), { isSidechain: true })]),
  };
}

/** A shell in the background that writes its output to this path. */
export function taskWithOutput(path: string): string[] {
  const launched = `Command running in background with ID: b1. Output is being written to: ${path}`;
  return [
    asked,
    entry('assistant', 'a1', 'u1', [call('c1')]),
    entry('user', 'r1', 'a1', [result('c1', launched)], { toolUseResult: { backgroundTaskId: 'b1' } }),
  ];
}

/** Transcripts that an envelope agent could not have written. */
export const hostileEnvelopeTranscripts: Readonly<Record<string, () => string[]>> = {
  'arguments nested too deep': () => [envelopeEntry({ toolArguments: 'DEEP' }).replace('"DEEP"', nested(DEEP))],
  'orders at the end of the numbers': () => [
    envelopeEntry({}, Number.MAX_SAFE_INTEGER),
    envelopeEntry({ itemId: 't1:0:1' }, -1),
    envelopeEntry({ itemId: 't1:0:2' }, 1e300),
  ],
  'keys that change prototypes': () => [envelopeEntry({ toolArguments: 'P' }).replace('"P"', '{"__proto__":{"a":1}}')],
  'another session': () => [envelopeEntry({ sessionId: 'claude-code:other' })],
  'no JSON at all': () => ['{', '[]', 'null', '"x"', '\u0000'],
};

function envelopeEntry(changes: object, order = 0): string {
  const item = {
    turnId: 't1',
    sessionId: 'fixture:x',
    itemId: 't1:0:0',
    sourceTimestamp: at(0),
    emittedAt: at(0),
    status: 'complete',
    type: 'tool_call',
    toolName: 'constructor',
    toolArguments: {},
    callId: 'c1',
    ...changes,
  };
  return JSON.stringify({ order, item });
}
