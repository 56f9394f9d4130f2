import { errorCatalogue } from '../../shared/errors.ts';
import type { FinalizedItem, StreamEventEnvelope, StreamEventPayload } from '../../shared/stream-events.ts';
import type { StreamAction } from './stream-actions.ts';

type PayloadOf<T extends StreamEventPayload['type']> = Extract<StreamEventPayload, { type: T }>;

/** Translates a canonical event into actions for the core. Stateless, because repeating a start is harmless. */
export function translateEnvelope({ turnId, payload }: StreamEventEnvelope): readonly StreamAction[] {
  switch (payload.type) {
    case 'response_start':
      return [{ do: 'turn_start', turnId, modelId: payload.modelId, providerId: payload.providerId }];
    case 'item_start':
      return startItem(turnId, payload);
    case 'item_delta':
      return [{ do: 'item_delta', itemId: payload.itemId, text: payload.deltaContent }];
    case 'item_done':
      return finishItem(turnId, payload.itemId, payload.finalItem);
    case 'item_error':
      return [{ do: 'item_error', itemId: payload.itemId, ...payload.error }];
    case 'item_cancelled':
      return [{ do: 'item_cancel', itemId: payload.itemId }];
    case 'response_done':
      return [endResponse(turnId, payload)];
    case 'response_error':
      return [{ do: 'turn_error', turnId, ...payload.error }];
  }
}

function startItem(turnId: string, payload: PayloadOf<'item_start'>): readonly StreamAction[] {
  const { itemId, itemType, initialContent: content = '', name, callId } = payload;
  switch (itemType) {
    case 'message':
      return [{ do: 'item_start', turnId, itemId, kind: 'message', content }];
    case 'reasoning':
      return [{ do: 'item_start', turnId, itemId, kind: 'thinking', content }];
    case 'function_call':
      if (name === undefined || callId === undefined) return [];
      return [{ do: 'tool_start', turnId, itemId, callId, name }];
    case 'function_call_output':
      // The output is shown in the item of its call, when it is complete.
      return [];
  }
}

/** Starts the item too, so that an item without an `item_start` is shown. */
function finishItem(turnId: string, itemId: string, item: FinalizedItem): readonly StreamAction[] {
  switch (item.type) {
    case 'message': {
      const { content, origin } = item;
      return [
        { do: 'item_start', turnId, itemId, kind: 'message' },
        { do: 'item_done', itemId, content, origin },
      ];
    }
    case 'reasoning': {
      const { content, providerId } = item;
      return [
        { do: 'item_start', turnId, itemId, kind: 'thinking' },
        { do: 'item_done', itemId, content, providerId },
      ];
    }
    case 'function_call': {
      const { callId, name, arguments: args } = item;
      return [
        { do: 'tool_start', turnId, itemId, callId, name, arguments: args },
        { do: 'tool_arguments', turnId, callId, arguments: args },
      ];
    }
    case 'function_call_output': {
      const { callId, output, isError } = item;
      return [{ do: 'tool_done', turnId, itemId, callId, output, isError }];
    }
  }
}

function endResponse(turnId: string, payload: PayloadOf<'response_done'>): StreamAction {
  const { status, error, finishReason, usage } = payload;
  if (status === 'error') return { do: 'turn_error', turnId, ...(error ?? explain(finishReason)) };
  return {
    do: 'turn_done',
    turnId,
    status,
    ...(usage !== undefined && { usage }),
    ...(finishReason !== undefined && { stopReason: finishReason }),
  };
}

function explain(finishReason: string | undefined): { code: string; message: string } {
  const reason = finishReason === undefined ? '' : ` It ended with: ${finishReason}.`;
  return { code: 'MODEL_ERROR', message: `${errorCatalogue.MODEL_ERROR.message}${reason}` };
}
