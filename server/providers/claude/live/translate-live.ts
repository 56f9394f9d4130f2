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
 * Translates one message of the SDK. Pure. Every message type is listed, so that a new one in the SDK's types breaks
 * the build; at run time unknown types are ignored.
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

/** From now on the process works on another conversation. */
function clearConversation(state: LiveState): LiveTranslation {
  const noted = addNotice(state, 'notice', CLEARED);
  return { state: noted.state, actions: [...noted.actions, { do: 'restart', reason: 'conversation cleared' }] };
}

function isRepeated({ keptMessages }: LiveState, { uuid }: { readonly uuid?: string }): boolean {
  return uuid !== undefined && keptMessages.has(uuid);
}

/** `completed` is ignored: the result has more information and may come later. */
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
