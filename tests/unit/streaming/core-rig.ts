import type { StreamAction } from '../../../server/streaming/stream-actions.ts';
import { createStreamCore, LIVE_BATCHING, type StreamCoreOptions } from '../../../server/streaming/stream-core.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createOutputLog } from '../../support/output-log.ts';

/** A core with the settings of live providers, a manual clock and an output log. */
export function createCoreRig(options: Partial<StreamCoreOptions> = {}) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const log = createOutputLog();
  const core = createStreamCore({
    sessionId: 'claude-code:s',
    providerId: 'claude-code',
    clock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert: log.onUpsert,
    onTurn: log.onTurn,
    ...options,
  });
  return {
    clock,
    log,
    core,
    apply: (...actions: StreamAction[]) => {
      for (const action of actions) core.apply(action);
    },
  };
}

export const startTurn = (turnId = 't', modelId = 'm'): StreamAction => ({ do: 'turn_start', turnId, modelId });

export const startText = (itemId = 't:1:0', turnId = 't'): StreamAction => ({
  do: 'item_start',
  turnId,
  itemId,
  kind: 'message',
});

export const say = (text: string, itemId = 't:1:0'): StreamAction => ({ do: 'item_delta', itemId, text });

export const startCall = (callId = 'c', itemId = 't:1:1', turnId = 't'): StreamAction => ({
  do: 'tool_start',
  turnId,
  itemId,
  callId,
  name: 'Bash',
});

export const finishCall = (callId = 'c', output = 'out', turnId = 't'): StreamAction => ({
  do: 'tool_done',
  turnId,
  callId,
  output,
  isError: false,
});

export const completeTurn = (turnId = 't'): StreamAction => ({ do: 'turn_done', turnId, status: 'completed' });
export const cancelTurn = (turnId = 't'): StreamAction => ({ do: 'turn_done', turnId, status: 'cancelled' });
export const failTurn = (turnId = 't'): StreamAction => ({
  do: 'turn_error',
  turnId,
  code: 'MODEL_ERROR',
  message: 'Overloaded.',
});
