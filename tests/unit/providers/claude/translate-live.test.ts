import { expect, test } from 'vitest';
import type { DriverAction } from '../../../../server/engine/driver.ts';
import { initialLiveState, type LiveState } from '../../../../server/providers/claude/live/live-state.ts';
import type { NativeMessage } from '../../../../server/providers/claude/live/native-messages.ts';
import { translate } from '../../../../server/providers/claude/live/translate-live.ts';
import type { ToolCallUpsert, TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { openPlayedSession, playRecording } from './play-recording.ts';
import {
  assistant,
  blockStart,
  init,
  lifecycle,
  messageStart,
  result,
  streamEvent,
  textDelta,
} from './provider-rig.ts';
import { messagesOf, readRecording } from './recording.ts';

/** Everything that comes of these messages, and the state they leave. */
function translateAll(messages: readonly object[], start: LiveState = initialLiveState) {
  let state = start;
  const actions: DriverAction[] = [];
  for (const message of messages) {
    const translated = translate(state, message as NativeMessage);
    state = translated.state;
    actions.push(...translated.actions);
  }
  return { state, actions };
}

function emit(messages: readonly object[]) {
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const { receive } = openPlayedSession(
    createManualClock(),
    (upsert) => upserts.push(upsert),
    (event) => turns.push(event),
  );
  for (const message of messages) receive(message as NativeMessage);
  return { upserts, turns, last: new Map(upserts.map((upsert) => [upsert.itemId, upsert])) };
}

const isCall = (upsert: UpsertObject): upsert is ToolCallUpsert => upsert.type === 'tool_call';
const text = { type: 'text', text: '' };
const user = (block: object, more: object = {}) => ({
  type: 'user',
  parent_tool_use_id: null,
  message: { role: 'user', content: [block] },
  ...more,
});

test('translation is pure: the same state and message always come to the same, and the state is left as it was', () => {
  const messages = messagesOf(readRecording('subagent'));
  const { state } = translateAll(messages.slice(0, 8));
  const copy = structuredClone(state);
  const next = messages[8] as NativeMessage;
  expect(translate(state, next)).toEqual(translate(state, next));
  expect(state).toEqual(copy);
});

test('stream/TC-3.3a a text block is created, updated and completed with all its text', async () => {
  const { upserts } = await playRecording(readRecording('message-queued-mid-turn'));
  const first = upserts.filter((upsert) => upsert.itemId.endsWith(':1:0') && upsert.turnId === upserts[0]?.turnId);
  const statuses = first.map(({ status }) => status);
  expect(statuses[0]).toBe('create');
  expect(new Set(statuses.slice(1, -1))).toEqual(new Set(['update']));
  expect(first.at(-1)).toMatchObject({
    status: 'complete',
    content: Array.from({ length: 60 }, (_, word) => `w${word} `).join(''),
  });
  let before = '';
  for (const upsert of first) {
    const content = upsert.type === 'message' ? upsert.content : '';
    expect(content.startsWith(before)).toBe(true);
    before = content;
  }
});

test('stream/TC-3.3b a call is shown at once and gets its arguments when they are whole', async () => {
  const { upserts } = await playRecording(readRecording('edit-file'));
  const calls = upserts.filter(isCall);
  expect(calls.map(({ status }) => status)).toEqual(['create', 'update', 'complete']);
  expect(calls[0]).toMatchObject({ toolName: 'Write', callId: 'toolu_12_0', toolArguments: {} });
  expect(calls[2]).toMatchObject({ toolArguments: { file_path: '/home/dev/project/new.txt', content: 'hi\n' } });
});

test('stream/TC-3.3c a result completes the call it belongs to', async () => {
  const { upserts } = await playRecording(readRecording('two-tools'));
  const done = upserts.filter(isCall).filter(({ status }) => status === 'complete');
  expect(done).toMatchObject([
    { callId: 'toolu_3_1', toolOutput: 'one', toolOutputIsError: false },
    { callId: 'toolu_3_2', toolOutput: 'Exit code 3\ntwo', toolOutputIsError: true },
  ]);
});

test('stream/TC-3.3d thoughts that come whole, without having been streamed, are shown', () => {
  const { upserts } = emit([init('t'), assistant('m', { type: 'thinking', thinking: 'I wonder.', signature: 's' })]);
  expect(upserts.at(-1)).toMatchObject({ type: 'thinking', itemId: 't:1:0', status: 'complete', content: 'I wonder.' });
});

test('stream/TC-3.3e each block of an answer is an item of its own', async () => {
  const { upserts } = await playRecording(readRecording('two-tools'));
  const ids = [...new Set(upserts.map(({ itemId }) => itemId.slice(itemId.indexOf(':') + 1)))];
  expect(ids).toEqual(['user', '1:0', '1:1', '1:2', '2:0']);
});

test('stream/TC-3.3f a turn starts with its model and ends with the result, not with a message of the model', async () => {
  const { turns } = await playRecording(readRecording('two-tools'));
  expect(turns).toMatchObject([
    { type: 'turn_started', modelId: 'claude-opus-5-5', providerId: 'claude-code' },
    {
      type: 'turn_complete',
      status: 'completed',
      stopReason: 'end_turn',
      usage: { inputTokens: 10, outputTokens: 40 },
    },
  ]);
  const failed = await playRecording(readRecording('api-error-400'));
  expect(failed.turns.at(-1)).toMatchObject({
    type: 'turn_error',
    errorCode: 'MODEL_ERROR',
    errorMessage: 'API Error: 400 scripted failure',
  });
});

test('stream/TC-3.3g a result without a call is shown and breaks nothing', () => {
  const stray = { type: 'tool_result', tool_use_id: 'stray', content: 'found', is_error: true };
  const { upserts, turns } = emit([init('t'), user(stray), result('t')]);
  expect(upserts).toMatchObject([
    { type: 'tool_call', callId: 'stray', status: 'complete', toolOutput: 'found', toolOutputIsError: true },
  ]);
  expect(turns.at(-1)).toMatchObject({ status: 'completed' });
});

test('messages merged into one turn all end with it, and the answer belongs to the last', () => {
  const { turns, last } = emit([
    lifecycle('a', 'started'),
    lifecycle('b', 'started'),
    init('a', 'b'),
    { ...messageStart('m'), user_message_uuid: 'b', user_message_uuids: ['a', 'b'] },
    blockStart(0, text),
    textDelta(0, 'for both'),
    assistant('m', { type: 'text', text: 'for both' }),
    result('b', { user_message_uuids: ['a', 'b'] }),
  ]);
  expect([...last.keys()]).toEqual(['b:1:0']);
  expect(turns.map(({ type, turnId }) => [type, turnId])).toEqual([
    ['turn_started', 'a'],
    ['turn_started', 'b'],
    ['turn_complete', 'a'],
    ['turn_complete', 'b'],
  ]);
  expect(turns.filter((event) => event.type === 'turn_complete' && event.usage !== undefined)).toHaveLength(1);
});

test('the same block, streamed and repeated, is one item even if the words differ', () => {
  const { last } = emit([
    init('t'),
    messageStart('m'),
    blockStart(0, text),
    textDelta(0, 'draft'),
    assistant('m', { type: 'text', text: 'final' }),
    result('t'),
  ]);
  expect([...last.values()]).toMatchObject([{ itemId: 't:1:0', status: 'complete', content: 'final' }]);
});

test('blocks without words are not shown', () => {
  const { upserts } = emit([
    init('t'),
    messageStart('m'),
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    assistant('m', { type: 'thinking', thinking: '', signature: 'x' }),
    blockStart(1, { type: 'redacted_thinking', data: 'x' }),
    assistant('m', { type: 'redacted_thinking', data: 'x' }),
    blockStart(2, text),
    textDelta(2, 'words'),
    assistant('m', { type: 'text', text: 'words' }),
    result('t'),
  ]);
  expect(new Set(upserts.map(({ itemId }) => itemId))).toEqual(new Set(['t:1:2']));
});

test('a message that is not confirmed when the next one begins was given up', () => {
  const { last } = emit([
    init('t'),
    messageStart('m1'),
    blockStart(0, text),
    textDelta(0, 'half'),
    blockStart(1, { type: 'tool_use', id: 'c', name: 'Bash', input: {} }),
    messageStart('m2'),
    blockStart(0, text),
    textDelta(0, 'whole'),
    assistant('m2', { type: 'text', text: 'whole' }),
    result('t'),
  ]);
  expect([...last.values()]).toMatchObject([
    { itemId: 't:1:0', status: 'error', errorCode: 'STREAM_RETRIED', content: 'half' },
    { itemId: 't:1:1', status: 'error', errorCode: 'STREAM_RETRIED' },
    { itemId: 't:2:0', status: 'complete', content: 'whole' },
  ]);
});

test('a stream that breaks before it is stopped is given up when the retry is announced', () => {
  const retry = { attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: null };
  const { last } = emit([
    init('t'),
    messageStart('m'),
    blockStart(0, text),
    textDelta(0, 'half'),
    { type: 'system', subtype: 'api_retry', ...retry },
  ]);
  expect([...last.values()]).toMatchObject([
    { itemId: 't:1:0', status: 'error', errorCode: 'STREAM_RETRIED' },
    { itemId: 't:retry:1', origin: 'system' },
  ]);
});

test('what an interruption leaves unfinished was not given up for another try', () => {
  const { last, turns } = emit([
    init('t'),
    messageStart('m'),
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    streamEvent({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Well' } }),
    user({ type: 'text', text: '[Request interrupted by user]' }),
    streamEvent({ type: 'message_stop' }, { abandoned_blocks: { from_block_index: 0 } }),
    result('t', {
      subtype: 'error_during_execution',
      is_error: true,
      errors: [],
      terminal_reason: 'aborted_streaming',
    }),
  ]);
  expect(last.get('t:1:0')).toMatchObject({ type: 'thinking', content: 'Well', status: 'create' });
  expect(turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
});

test('an error that the agent got over is told, and the turn completes', () => {
  const { turns, last } = emit([
    init('t'),
    assistant('x', { type: 'text', text: 'API Error: passing' }, { error: 'server_error' }),
    assistant('m', { type: 'text', text: 'Fine after all.' }),
    result('t'),
  ]);
  expect([...last.values()]).toMatchObject([
    { content: 'Fine after all.' },
    { origin: 'system', content: 'API Error: passing' },
  ]);
  expect(turns.at(-1)).toMatchObject({ type: 'turn_complete' });
});

test.for([
  ['cancelled', { type: 'turn_complete', status: 'cancelled' }],
  ['discarded', { type: 'turn_complete', status: 'cancelled' }],
  ['refused', { type: 'turn_error', errorCode: 'AGENT_PROTOCOL_ERROR' }],
] as const)('a message that is %s by the agent ends its turn', ([state, end]) => {
  const { turns } = emit([lifecycle('t', 'queued'), lifecycle('t', state), lifecycle('t', state)]);
  expect(turns).toMatchObject([{ type: 'turn_started' }, end]);
});

test.for([
  ['error_max_turns', 'limit of model calls'],
  ['error_max_budget_usd', 'spending limit'],
] as const)('a turn that ends with %s says what to do', ([subtype, words]) => {
  const { turns } = emit([init('t'), result('t', { subtype, is_error: true, errors: [] })]);
  expect(turns.at(-1)).toMatchObject({ errorCode: 'MODEL_ERROR', errorMessage: expect.stringContaining(words) });
});

test('work under a call that was never seen is shown under the name of that call', () => {
  const inner = { type: 'tool_use', id: 'inner', name: 'Read', input: {} };
  const { last } = emit([
    init('t'),
    assistant('m', inner, { parent_tool_use_id: 'lost' }),
    user({ type: 'tool_result', tool_use_id: 'inner', content: 'ok' }, { parent_tool_use_id: 'lost' }),
  ]);
  expect([...last.values()]).toMatchObject([
    { itemId: 't:lost:1:0', parentItemId: 't:lost', toolName: 'Read', toolOutput: 'ok' },
  ]);
});

test('what sub-agents stream is not shown twice', () => {
  const { upserts } = emit([
    init('t'),
    streamEvent({ type: 'message_start', message: { id: 's', model: 'm' } }, { parent_tool_use_id: 'call' }),
  ]);
  expect(upserts).toEqual([]);
});

test('a result of a tool on the side of the model completes its call', () => {
  const call = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srv', content: [{ type: 'text', text: 'found' }] };
  const { last } = emit([
    init('t'),
    messageStart('m'),
    blockStart(0, call),
    assistant('m', { ...call, input: { query: 'x' } }),
    blockStart(1, found),
    assistant('m', found),
    result('t'),
  ]);
  expect([...last.values()]).toMatchObject([
    {
      toolName: 'web_search',
      toolKind: 'fetch',
      toolArguments: { query: 'x' },
      toolOutput: 'found',
      status: 'complete',
    },
  ]);
});

test.for([
  [{ subtype: 'compact_boundary' }, 't:compaction:1', 'compacted'],
  [{ subtype: 'session_writes_lost' }, 't:notice:1', 'disk is full'],
  [{ subtype: 'model_refusal_no_fallback', content: 'Refused.' }, 't:notice:1', 'Refused.'],
  [{ subtype: 'informational', level: 'warning', content: 'Take care.' }, 't:notice:1', 'Take care.'],
  [{ subtype: 'status', status: null, compact_result: 'failed', compact_error: 'No room.' }, 't:notice:1', 'No room.'],
] as const)('%s is told as a notice of the system', ([message, itemId, words]) => {
  const { upserts } = emit([init('t'), { type: 'system', ...message }]);
  expect(upserts).toMatchObject([{ itemId, origin: 'system', content: expect.stringContaining(words) }]);
});

test('what the agent says again after a compaction is not shown again', () => {
  const answer = assistant('local', { type: 'text', text: 'Usage: little.' }, { uuid: 'kept' });
  const compacted = { type: 'system', subtype: 'compact_boundary' };
  const { upserts } = emit([
    init('t'),
    answer,
    result('t'),
    init('c'),
    { ...compacted, compact_metadata: { preserved_messages: { uuids: ['kept'] } } },
    { ...answer, message: { ...answer.message, id: 'local again' } },
    result('c'),
  ]);
  expect(new Set(upserts.map(({ itemId }) => itemId))).toEqual(new Set(['t:1:0', 'c:compaction:1']));
});

test('what happens between turns is told to no one', () => {
  const { actions } = translateAll([{ type: 'system', subtype: 'compact_boundary' }, user(text)]);
  expect(actions).toEqual([]);
});
