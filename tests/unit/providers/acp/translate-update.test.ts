import { describe, expect, it } from 'vitest';
import { MAX_OUTPUT_LENGTH } from '../../../../server/providers/acp/translate/call-state.ts';
import { parseSessionUpdate, type SessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import {
  type TranslationContext,
  translateUpdate,
} from '../../../../server/providers/acp/translate/translate-update.ts';
import { endTurn } from '../../../../server/providers/acp/translate/turn-outcome.ts';
import { newTurn } from '../../../../server/providers/acp/translate/turn-state.ts';
import type { StreamAction } from '../../../../server/streaming/stream-actions.ts';
import { CODEX_DIALECT, COMMON_DIALECT, chunk, thought, tool, toolUpdate } from './session-rig.ts';

function translate(updates: readonly SessionUpdate[], context: Partial<TranslationContext> = {}): StreamAction[] {
  const full: TranslationContext = {
    dialect: CODEX_DIALECT,
    isReplay: false,
    readTerminal: () => undefined,
    ...context,
  };
  let state = newTurn('t1');
  const actions: StreamAction[] = [];
  for (const update of updates) {
    const step = translateUpdate(state, update, full);
    state = step.state;
    actions.push(...step.actions);
  }
  return [...actions, ...endTurn(state, { by: 'answer', stopReason: 'end_turn' }, full)];
}

const withoutEnd = (actions: StreamAction[]) => actions.filter((action) => action.do !== 'turn_done');

describe('text', () => {
  it('is one item per message id', () => {
    expect(withoutEnd(translate([chunk('a', 'm1'), chunk('b', 'm1'), chunk('c', 'm2')]))).toEqual([
      { do: 'item_start', turnId: 't1', itemId: 't1:0:0', kind: 'message', content: 'a' },
      { do: 'item_delta', itemId: 't1:0:0', text: 'b' },
      { do: 'item_done', itemId: 't1:0:0' },
      { do: 'item_start', turnId: 't1', itemId: 't1:1:0', kind: 'message', content: 'c' },
    ]);
  });

  it('that continues after something else is a new item', () => {
    expect(withoutEnd(translate([chunk('a', 'm1'), tool('c1'), chunk('b', 'm1')]))).toMatchObject([
      { do: 'item_start', content: 'a' },
      { do: 'item_done' },
      { do: 'tool_start', itemId: 't1:1:0' },
      { do: 'item_start', itemId: 't1:2:0', content: 'b' },
    ]);
  });

  it('without ids is one item for agents that never send ids', () => {
    const actions = translate([chunk('a'), chunk('b'), thought('c'), chunk('d')], { dialect: COMMON_DIALECT });
    expect(withoutEnd(actions)).toMatchObject([
      { do: 'item_start', kind: 'message', content: 'a' },
      { do: 'item_delta', text: 'b' },
      { do: 'item_done' },
      { do: 'item_start', kind: 'thinking', content: 'c' },
      { do: 'item_done' },
      { do: 'item_start', kind: 'message', content: 'd' },
    ]);
  });

  it('begins a thought with visible text', () => {
    expect(withoutEnd(translate([thought('\n\n', 'r1'), thought('\n**Plan**', 'r1'), thought('\n\n', 'r1')]))).toEqual([
      { do: 'item_start', turnId: 't1', itemId: 't1:0:0', kind: 'thinking', content: '**Plan**' },
      { do: 'item_delta', itemId: 't1:0:0', text: '\n\n' },
    ]);
  });

  it('of the user is not repeated', () => {
    expect(withoutEnd(translate([{ sessionUpdate: 'user_message_chunk', content: 'hello' }]))).toEqual([]);
  });
});

describe('a tool call', () => {
  it('starts with its name, kind and arguments and ends with its output', () => {
    const updates = [
      tool('c1', { name: 'exec_command', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } }),
      toolUpdate('c1', { _meta: { terminal_output_delta: { data: 'a\n' } } }),
      toolUpdate('c1', { _meta: { terminal_output_delta: { data: 'b\n' } } }),
      toolUpdate('c1', { status: 'failed', _meta: { terminal_exit: { exit_code: 2 } } }),
    ];
    expect(withoutEnd(translate(updates))).toEqual([
      {
        do: 'tool_start',
        turnId: 't1',
        itemId: 't1:0:0',
        callId: 'c1',
        name: 'exec_command',
        toolKind: 'execute',
        arguments: { command: 'ls' },
      },
      { do: 'tool_done', turnId: 't1', callId: 'c1', output: 'a\nb\n', isError: true, exitCode: 2 },
    ]);
  });

  it.for([
    ['its name', { name: 'grep', title: 'Search for x' }, 'grep', { title: 'Search for x' }],
    ['its title', { title: 'Editing files' }, 'Editing files', {}],
    [
      'its kind, where the title only repeats the command',
      { title: 'ls', kind: 'execute', rawInput: { command: "sh -c 'ls'" } },
      'execute',
      { command: "sh -c 'ls'" },
    ],
    ['its kind, where there is no title', { title: '', kind: 'fetch' }, 'fetch', {}],
    ['a default, where there is nothing', { title: '' }, 'tool', {}],
  ] as const)('is named by %s', ([, fields, name, args]) => {
    expect(translate([tool('c1', fields)])[0]).toMatchObject({ do: 'tool_start', name, arguments: args });
  });

  it('without input shows its locations', () => {
    const read = tool('c1', { name: 'read', title: "Read 'a'", locations: [{ path: '/p/a' }] });
    const move = tool('c2', { title: 'Move', locations: [{ path: '/p/a' }, { path: '/p/b' }] });
    expect(translate([read])[0]).toMatchObject({ arguments: { title: "Read 'a'", path: '/p/a' } });
    expect(translate([move])[0]).toMatchObject({ arguments: { paths: ['/p/a', '/p/b'] } });
  });

  it.for([
    ['delete', 'edit'],
    ['move', 'edit'],
    ['switch_mode', 'other'],
    ['from_the_future', 'other'],
    ['constructor', 'other'],
    ['think', 'think'],
  ] as const)('of the kind %s is shown as %s', ([kind, toolKind]) => {
    expect(translate([tool('c1', { kind })])[0]).toMatchObject({ toolKind });
  });

  it('reports its arguments once when they become known', () => {
    const updates = [tool('c1'), toolUpdate('c1', { rawInput: { a: 1 } }), toolUpdate('c1', { rawInput: { a: 1 } })];
    expect(translate(updates).filter((action) => action.do === 'tool_arguments')).toEqual([
      { do: 'tool_arguments', turnId: 't1', callId: 'c1', arguments: { a: 1 }, toolKind: 'other' },
    ]);
  });

  it('keeps its diffs as data', () => {
    const content = [
      { type: 'diff', path: '/p/a', oldText: 'x', newText: 'y' },
      { type: 'diff', path: '/p/new', newText: 'z' },
    ];
    expect(translate([tool('c1', { kind: 'edit', content })])[0]).toMatchObject({
      diffs: [
        { path: '/p/a', oldText: 'x', newText: 'y' },
        { path: '/p/new', oldText: null, newText: 'z' },
      ],
    });
  });

  it.for([
    ['its text content', { content: [{ type: 'content', content: 'text' }] }, 'text'],
    ['a raw string', { rawOutput: 'raw' }, 'raw'],
    ['raw data', { rawOutput: { found: 2 } }, '{\n  "found": 2\n}'],
    ['nothing for an exit code alone', { rawOutput: { exit_code: 0 } }, ''],
    ['its terminal', { content: [{ type: 'terminal', terminalId: 'x1' }] }, 'from the terminal'],
  ] as const)('shows as its output %s', ([, fields, output]) => {
    const readTerminal = (id: string) => (id === 'x1' ? { output: 'from the terminal', exitCode: 0 } : undefined);
    const done = translate([tool('c1'), toolUpdate('c1', { status: 'completed', ...fields })], { readTerminal });
    expect(done.find((action) => action.do === 'tool_done')).toMatchObject({ output, isError: false });
  });

  it('keeps the end of an output that is too long', () => {
    const piece = 'x'.repeat(MAX_OUTPUT_LENGTH);
    const parts = [...Array.from({ length: 5 }, () => piece), 'the end'];
    const updates = parts.map((data) => toolUpdate('c1', { _meta: { terminal_output_delta: { data } } }));
    const done = translate([tool('c1'), ...updates, toolUpdate('c1', { status: 'completed' })]).find(
      (action) => action.do === 'tool_done',
    );
    expect(done?.output).toMatch(/^\[The beginning of the output is not shown\.\]\nx+the end$/);
    expect(done?.output.length).toBeLessThan(MAX_OUTPUT_LENGTH + 100);
  });

  it('of which only the result is reported is shown', () => {
    expect(withoutEnd(translate([toolUpdate('c9', { status: 'completed', rawOutput: 'done' })]))).toMatchObject([
      { do: 'tool_start', callId: 'c9', name: 'tool' },
      { do: 'tool_done', callId: 'c9', output: 'done' },
    ]);
  });

  it('that is completed is not changed by later reports', () => {
    const finished = toolUpdate('c1', { status: 'completed', rawOutput: 'one' });
    const actions = translate([
      tool('c1'),
      finished,
      toolUpdate('c1', { status: 'failed', rawOutput: 'two' }),
      tool('c1'),
    ]);
    expect(actions.filter((action) => action.do.startsWith('tool'))).toHaveLength(2);
  });
});

describe('a turn with many tool calls', () => {
  const run = (count: number, isReplay: boolean) => {
    const ids = Array.from({ length: count }, (_, index) => `c${index}`);
    const updates = ids.flatMap((id) => [tool(id), toolUpdate(id, { status: 'completed', rawOutput: 'done' })]);
    const start = performance.now();
    expect(translate(updates, { isReplay })).toHaveLength(2 * count + 1);
    return performance.now() - start;
  };

  it.for([
    ['live', false],
    ['replayed', true],
  ] as const)('takes time in proportion to their number (%s)', ([, isReplay]) => {
    const isLinear = () => {
      const few = [1, 2, 3, 4].reduce((sum) => sum + run(4_000, isReplay), 0);
      return run(16_000, isReplay) < 6 * (few / 4);
    };
    // Another program may take the processor away from one measurement, not from all of them.
    expect(Array.from({ length: 7 }).some(isLinear)).toBe(true);
  });
});

describe('a plan', () => {
  const plan = (...states: ('pending' | 'in_progress' | 'completed')[]): SessionUpdate => ({
    sessionUpdate: 'plan',
    entries: states.map((status, index) => ({ content: `step ${index + 1}`, status })),
  });

  it('is one call that is updated in place and ends as a task list', () => {
    expect(translate([plan('in_progress', 'pending'), plan('completed', 'in_progress')])).toEqual([
      {
        do: 'tool_start',
        turnId: 't1',
        itemId: 't1:0:0',
        callId: 't1:plan',
        name: 'plan',
        toolKind: 'think',
        arguments: {
          entries: [
            { content: 'step 1', status: 'in_progress' },
            { content: 'step 2', status: 'pending' },
          ],
        },
      },
      {
        do: 'tool_arguments',
        turnId: 't1',
        callId: 't1:plan',
        arguments: {
          entries: [
            { content: 'step 1', status: 'completed' },
            { content: 'step 2', status: 'in_progress' },
          ],
        },
      },
      { do: 'tool_done', turnId: 't1', callId: 't1:plan', output: '- [x] step 1\n- [ ] **step 2**', isError: false },
      { do: 'turn_done', turnId: 't1', status: 'completed', stopReason: 'end_turn' },
    ]);
  });
});

describe('trouble with the model', () => {
  const trouble = (fields: object): SessionUpdate => ({
    sessionUpdate: 'session_info_update',
    _meta: { codex: { error: { message: 'Reconnecting... 2/5', willRetry: true, ...fields } } },
  });

  it('abandons the unfinished message and shows which attempt follows', () => {
    const updates = [chunk('half ', 'm1'), trouble({ additionalDetails: 'stream cut' }), chunk('whole', 'm2')];
    expect(withoutEnd(translate(updates))).toMatchObject([
      { do: 'item_start', itemId: 't1:0:0' },
      { do: 'item_error', itemId: 't1:0:0', code: 'STREAM_RETRIED' },
      {
        do: 'message',
        itemId: 't1:1:0',
        origin: 'system',
        content: 'Connecting to the model again, attempt 2 of 5: stream cut',
      },
      { do: 'item_start', itemId: 't1:2:0', content: 'whole' },
    ]);
  });

  it('without a retry is only shown', () => {
    const updates = [chunk('half ', 'm1'), trouble({ message: 'It broke', willRetry: false })];
    expect(withoutEnd(translate(updates))).toMatchObject([
      { do: 'item_start' },
      { do: 'item_done' },
      { do: 'message', content: 'It broke' },
    ]);
  });
});

describe('updates that change nothing on the page', () => {
  it.for([
    { sessionUpdate: 'available_commands_update' },
    { sessionUpdate: 'current_mode_update' },
    { sessionUpdate: 'config_option_update', configOptions: [] },
    { sessionUpdate: 'usage_update' },
    { sessionUpdate: 'compaction_update' },
    { sessionUpdate: 'compaction_summary_chunk' },
    { sessionUpdate: 'session_info_update', title: 'A title' },
  ])('$sessionUpdate', (update) => {
    const parsed = parseSessionUpdate({ sessionId: 's1', update });
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(withoutEnd(translate([chunk('a', 'm1'), parsed.update, chunk('b', 'm1')]))).toHaveLength(2);
  });
});
