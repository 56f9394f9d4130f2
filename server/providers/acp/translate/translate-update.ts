import type { SessionUpdate } from './session-update.ts';
import { addSessionInfo, addTypedNotice, holdNotice, showHeldNotice } from './translate-notice.ts';
import { addPlan } from './translate-plan.ts';
import { addChunk } from './translate-text.ts';
import {
  addToolReport,
  leaveCommands,
  markStopped,
  moveToBackground,
  type ToolContext,
} from './translate-tool-call.ts';
import { andThen, type Step, type TurnState } from './turn-state.ts';

export type TranslationContext = ToolContext;

/** One update within a turn, as actions for the core. */
export function translateUpdate(state: TurnState, update: SessionUpdate, context: TranslationContext): Step {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (update.messageId == null && context.dialect.chunkWithoutId === 'notice') {
        return holdNotice(state, update.content);
      }
      return andThen(goOn(state, context), (current) => addChunk(current, 'message', update));
    case 'agent_thought_chunk':
      return andThen(goOn(state, context), (current) => addChunk(current, 'thinking', update, partSeparator(context)));
    case 'tool_call':
    case 'tool_call_update':
      return andThen(showHeldNotice(state), (current) => addToolReport(current, update, context));
    case 'plan':
      return andThen(showHeldNotice(state), (current) => addPlan(current, update.entries));
    case 'notice':
      return andThen(showHeldNotice(state), (current) => addTypedNotice(current, update));
    case 'session_info_update':
      return addSessionInfo(state, update);
    case 'async_task_spawned':
      return moveToBackground(state, update.toolCallId, update.asyncTaskId);
    case 'async_task_state_update':
      return { state: update.state === 'stopped' ? markStopped(state, update.toolCallId) : state, actions: [] };
    // Sub-agents belong to the session, whatever turn they were set to work in.
    case 'subagent_update':
    // The user's message is shown when it is sent; in a replay it begins a turn.
    case 'user_message_chunk':
    // The session keeps the model's name; the other options are not shown.
    case 'config_option_update':
    case 'current_mode_update':
    case 'available_commands_update':
    // The size of the context. The usage of a turn comes with the response to its prompt.
    case 'usage_update':
    // Sent only to clients that ask for them.
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return { state, actions: [] };
    default:
      return update satisfies never;
  }
}

/** The model goes on, so that it does not wait for its commands any more. */
function goOn(state: TurnState, context: TranslationContext): Step {
  const shown = showHeldNotice(state);
  return state.text === undefined ? andThen(shown, (current) => leaveCommands(current, context)) : shown;
}

/** Live, an agent sends the blank line between two parts of a thought; replayed whole parts come without it. */
function partSeparator({ isReplay, dialect }: TranslationContext): string {
  return isReplay && dialect.replaysWholeMessages ? '\n\n' : '';
}
