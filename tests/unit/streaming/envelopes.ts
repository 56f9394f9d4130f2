import type { StreamEventEnvelope, StreamEventPayload } from '../../../shared/stream-events.ts';

export const SESSION = 'echo:session-1';

let events = 0;

export function envelope(payload: StreamEventPayload, fields: Partial<StreamEventEnvelope> = {}): StreamEventEnvelope {
  events += 1;
  return {
    eventId: `event-${events}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    turnId: 'turn-1',
    sessionId: SESSION,
    type: payload.type,
    payload,
    ...fields,
  };
}

export const responseStart = (turnId = 'turn-1') =>
  envelope({ type: 'response_start', modelId: 'model-1', providerId: 'echo' }, { turnId });

export const messageStart = (itemId = 'item-1', turnId = 'turn-1') =>
  envelope({ type: 'item_start', itemId, itemType: 'message' }, { turnId });

export const reasoningStart = (itemId = 'item-1', turnId = 'turn-1') =>
  envelope({ type: 'item_start', itemId, itemType: 'reasoning' }, { turnId });

export const delta = (deltaContent: string, itemId = 'item-1', turnId = 'turn-1') =>
  envelope({ type: 'item_delta', itemId, deltaContent }, { turnId });

export const messageDone = (content: string, itemId = 'item-1', turnId = 'turn-1') =>
  envelope({ type: 'item_done', itemId, finalItem: { type: 'message', content, origin: 'agent' } }, { turnId });

export const callStart = (callId: string, itemId: string, turnId = 'turn-1') =>
  envelope({ type: 'item_start', itemId, itemType: 'function_call', name: 'read', callId }, { turnId });

export const callDone = (callId: string, itemId: string, args: Record<string, unknown> = {}, turnId = 'turn-1') =>
  envelope(
    { type: 'item_done', itemId, finalItem: { type: 'function_call', name: 'read', callId, arguments: args } },
    { turnId },
  );

export const callOutput = (callId: string, output: string, itemId = `${callId}-output`, turnId = 'turn-1') =>
  envelope(
    { type: 'item_done', itemId, finalItem: { type: 'function_call_output', callId, output, isError: false } },
    { turnId },
  );

export const responseDone = (turnId = 'turn-1', status: 'completed' | 'cancelled' = 'completed') =>
  envelope({ type: 'response_done', status, finishReason: 'end_turn' }, { turnId });

export const responseError = (code: string, message: string, turnId = 'turn-1') =>
  envelope({ type: 'response_error', error: { code, message } }, { turnId });
