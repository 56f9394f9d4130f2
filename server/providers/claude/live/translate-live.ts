import type { DriverAction } from '../../../engine/driver.ts';
import { CLEARED } from '../content/notices.ts';
import { type Translation, translation } from '../content/translation.ts';
import { showTaskOutput } from './background.ts';
import { addNotice, enterTurn, type LiveState } from './live-state.ts';
import type { CommandLifecycleMessage, NativeMessage } from './native-messages.ts';
import { translateAssistant } from './translate-assistant.ts';
import { translateResult } from './translate-result.ts';
import { translateStreamEvent } from './translate-stream-event.ts';
import { translateSystem } from './translate-system.ts';
import { translateUser } from './translate-user.ts';

export interface LiveTranslation {
  readonly state: LiveState;
  readonly actions: readonly DriverAction[];
}

/**
 * What one message of the SDK means. Pure. Every type of message is named, so that a new one breaks the build; at run
 * time an unknown one means nothing.
 */
export function translate(state: LiveState, message: NativeMessage): LiveTranslation {
  switch (message.type) {
    case 'stream_event':
      return translateStreamEvent(state, message);
    case 'assistant':
      return isRepeated(state, message) ? translation(state) : translateAssistant(state, message);
    case 'user':
      return isRepeated(state, message) ? translation(state) : translateUser(state, message);
    case 'system':
      return translateSystem(state, message);
    case 'result':
      return translateResult(state, message);
    case 'command_lifecycle':
      return translateLifecycle(state, message);
    case 'task_output':
      return showTaskOutput(state, message);
    case 'conversation_reset':
      return clearConversation(state);
    case 'auth_status':
    case 'prompt_suggestion':
    case 'rate_limit_event':
    case 'tool_progress':
    case 'tool_use_summary':
      return translation(state);
    default:
      message satisfies never;
      return translation(state);
  }
}

/** What follows in this process would belong to another conversation. */
function clearConversation(state: LiveState): LiveTranslation {
  const noted = addNotice(state, 'notice', CLEARED);
  return { state: noted.state, actions: [...noted.actions, { do: 'restart', reason: 'conversation cleared' }] };
}

function isRepeated({ keptMessages }: LiveState, { uuid }: { readonly uuid?: string }): boolean {
  return uuid !== undefined && keptMessages.has(uuid);
}

/** `completed` says less than the result, which may come after it. */
function translateLifecycle(state: LiveState, message: CommandLifecycleMessage): Translation<LiveState> {
  const { state: stage, command_uuid: turnId } = message;
  switch (stage) {
    case 'started':
      return translation(state.turn === undefined ? enterTurn(state, turnId) : state);
    case 'cancelled':
    case 'discarded':
      return translation(state, { do: 'turn_done', turnId, status: 'cancelled' });
    case 'refused':
      return translation(state, {
        do: 'turn_error',
        turnId,
        code: 'AGENT_PROTOCOL_ERROR',
        message: 'Claude Code refused this message. Send it again, or put it in other words.',
      });
    case 'queued':
    case 'completed':
      return translation(state);
    default:
      stage satisfies never;
      return translation(state);
  }
}
