import { describe, expect, it } from 'vitest';
import { describeProblems } from '../../../shared/parse.ts';
import {
  type StreamEventEnvelope,
  type StreamEventPayload,
  streamEventEnvelopeSchema,
} from '../../../shared/stream-events.ts';
import { spoil } from './spoil.ts';

const envelope = (payload: StreamEventPayload): StreamEventEnvelope => ({
  eventId: 'e',
  timestamp: '2026-01-01T00:00:00.000Z',
  turnId: 'turn-1',
  sessionId: 'session-1',
  type: payload.type,
  payload,
});

const parse = (payload: StreamEventPayload) => streamEventEnvelopeSchema.parse(envelope(payload)).payload;
const refuse = (value: unknown) => {
  const { error } = streamEventEnvelopeSchema.safeParse(value);
  return error === undefined ? 'accepted' : describeProblems(error);
};

const usage = { inputTokens: 1, outputTokens: 2 };
const error = { code: 'X', message: 'x' };
const call = { type: 'function_call', name: 'read', callId: 'call-1', arguments: { path: 'a' } } as const;
const output = { type: 'function_call_output', callId: 'call-1', output: 'text', isError: false } as const;

/** One of each kind, with every field. */
const payloads: StreamEventPayload[] = [
  { type: 'response_start', modelId: 'm', providerId: 'p' },
  { type: 'item_start', itemId: 'i', itemType: 'message', initialContent: 'x' },
  { type: 'item_start', itemId: 'i', itemType: 'function_call', name: 'read', callId: 'call-1' },
  { type: 'item_delta', itemId: 'i', deltaContent: 'x' },
  { type: 'item_done', itemId: 'i', finalItem: { type: 'message', content: 'x', origin: 'agent' } },
  { type: 'item_done', itemId: 'i', finalItem: { type: 'reasoning', content: 'x', providerId: 'p' } },
  { type: 'item_done', itemId: 'i', finalItem: call },
  { type: 'item_done', itemId: 'i', finalItem: output },
  { type: 'item_error', itemId: 'i', error },
  { type: 'item_cancelled', itemId: 'i', reason: 'x' },
  { type: 'response_done', status: 'completed', finishReason: 'end_turn', usage },
  { type: 'response_error', error },
];
const optional = ['initialContent', 'reason', 'finishReason', 'usage'];

describe('the schema of stream events', () => {
  it('stream/TC-1.1a covers streamed text', () => {
    expect(parse({ type: 'item_start', itemId: 'i', itemType: 'message' })).toMatchObject({ itemType: 'message' });
    expect(parse({ type: 'item_delta', itemId: 'i', deltaContent: 'Hi' })).toEqual({
      type: 'item_delta',
      itemId: 'i',
      deltaContent: 'Hi',
    });
  });

  it('stream/TC-1.1b covers the lifecycle of a tool call', () => {
    const start = parse({ type: 'item_start', itemId: 'i', itemType: 'function_call', name: 'read', callId: 'call-1' });
    expect(start).toMatchObject({ itemType: 'function_call', name: 'read', callId: 'call-1' });
    expect(parse({ type: 'item_delta', itemId: 'i', deltaContent: '{"path":' })).toMatchObject({ itemId: 'i' });
    expect(parse({ type: 'item_done', itemId: 'i', finalItem: call })).toMatchObject({ finalItem: call });
    expect(parse({ type: 'item_done', itemId: 'o', finalItem: output })).toMatchObject({ finalItem: output });
  });

  it('stream/TC-1.1c covers reasoning', () => {
    const finalItem = { type: 'reasoning', content: 'Hm.', providerId: 'p' } as const;
    expect(parse({ type: 'item_start', itemId: 'i', itemType: 'reasoning' })).toMatchObject({ itemType: 'reasoning' });
    expect(parse({ type: 'item_done', itemId: 'i', finalItem })).toMatchObject({ finalItem });
  });

  it('stream/TC-1.1d covers the lifecycle of a turn', () => {
    const start = streamEventEnvelopeSchema.parse(envelope({ type: 'response_start', modelId: 'm', providerId: 'p' }));
    expect(start).toMatchObject({ turnId: 'turn-1', payload: { modelId: 'm' } });
    const done = { type: 'response_done', status: 'completed', usage, finishReason: 'end_turn' } as const;
    expect(parse(done)).toEqual(done);
    const failed = { type: 'response_done', status: 'error', error } as const;
    expect(parse(failed)).toEqual(failed);
    expect(parse({ type: 'response_done', status: 'error', finishReason: 'refusal' })).toMatchObject({
      status: 'error',
    });
  });

  it('stream/TC-1.1e covers failures of items and of turns', () => {
    expect(parse({ type: 'item_error', itemId: 'i', error })).toEqual({ type: 'item_error', itemId: 'i', error });
    expect(parse({ type: 'response_error', error })).toEqual({ type: 'response_error', error });
  });

  it.each(payloads)('stream/TC-1.1f rejects an invalid $type and names the field', (payload) => {
    for (const { how, field, value } of spoil({ valid: { ...payload }, optional })) {
      if (field !== 'type') expect(refuse({ ...envelope(payload), payload: value }), how).toContain(`payload.${field}`);
    }
    for (const { how, field, value } of spoil({ valid: { ...envelope(payload) } }))
      expect(refuse(value), how).toContain(field);
  });

  it.each([
    [
      'a type that differs from its payload',
      { ...envelope({ type: 'response_error', error }), type: 'response_done' },
      'type',
    ],
    ['an unknown type', { ...envelope({ type: 'response_error', error }), type: 'x', payload: { type: 'x' } }, 'type'],
    [
      'a call without a name',
      envelope({ type: 'item_start', itemId: 'i', itemType: 'function_call', callId: 'c' }),
      'name',
    ],
    [
      'a call without an id',
      envelope({ type: 'item_start', itemId: 'i', itemType: 'function_call', name: 'n' }),
      'callId',
    ],
    ['a failed turn without a reason', envelope({ type: 'response_done', status: 'error' }), 'payload.error'],
    [
      'a turn that ended otherwise',
      { ...envelope(payloads[10] as StreamEventPayload), payload: { ...payloads[10], status: 'done' } },
      'payload.status',
    ],
    ['a local time', { ...envelope({ type: 'response_error', error }), timestamp: '2026-01-01 12:00' }, 'timestamp'],
    ['an empty id', { ...envelope({ type: 'response_error', error }), turnId: '' }, 'turnId'],
    [
      'an item without a kind',
      envelope({ type: 'item_done', itemId: 'i', finalItem: {} as never }),
      'payload.finalItem',
    ],
  ])('stream/TC-1.1f rejects %s', (_, event, field) => {
    expect(refuse(event)).toContain(field);
  });
});

describe('correlation', () => {
  it('stream/TC-1.2a every event names its turn', () => {
    const turnIds = payloads.map((payload) => streamEventEnvelopeSchema.parse(envelope(payload)).turnId);
    expect(new Set(turnIds)).toEqual(new Set(['turn-1']));
  });

  it('stream/TC-1.2b every event of an item names it', () => {
    const ofItems = payloads.filter((payload) => payload.type.startsWith('item_')).map(parse);
    expect(ofItems.map((payload) => ('itemId' in payload ? payload.itemId : undefined))).toEqual(
      ofItems.map(() => 'i'),
    );
  });

  it('stream/TC-1.2c a call and its result name the same call', () => {
    const callIds = [call, output].map((finalItem) => {
      const payload = parse({ type: 'item_done', itemId: 'i', finalItem });
      return payload.type === 'item_done' && 'callId' in payload.finalItem ? payload.finalItem.callId : undefined;
    });
    expect(callIds).toEqual(['call-1', 'call-1']);
  });
});
