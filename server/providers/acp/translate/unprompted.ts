import type { SessionUpdate } from './session-update.ts';
import type { TurnState } from './turn-state.ts';

/**
 * Agents also work without being asked: they go on with a goal, or are late with the last words of a turn. Such reports
 * get a turn of their own, so that nothing is lost and nothing changes a turn that has ended.
 */

/** Something to show, not only a change of state. */
export function isContent(update: SessionUpdate): boolean {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.content.trim() !== '';
    case 'tool_call':
    case 'plan':
      return true;
    case 'tool_call_update':
      return update.status != null;
    default:
      return false;
  }
}

/** What ended turns leave behind, to know late reports about it by. */
export interface Leftovers {
  /** `wasCutShort`: its last words are not wanted any more. */
  add(turn: TurnState, wasCutShort: boolean): void;
  includes(update: SessionUpdate): boolean;
}

export function createLeftovers(): Leftovers {
  const calls = new Set<string>();
  let unwantedMessage: string | undefined;
  return {
    add(turn, wasCutShort) {
      for (const callId of turn.calls.keys()) calls.add(callId);
      unwantedMessage = wasCutShort ? turn.text?.messageId : undefined;
    },
    includes(update) {
      switch (update.sessionUpdate) {
        case 'tool_call':
        case 'tool_call_update':
          return calls.has(update.toolCallId);
        case 'agent_message_chunk':
        case 'agent_thought_chunk':
          return update.messageId != null && update.messageId === unwantedMessage;
        default:
          return false;
      }
    },
  };
}

/** Codex tells when it has nothing more to do. */
export function saysIdle(update: SessionUpdate): boolean {
  if (update.sessionUpdate !== 'session_info_update') return false;
  const status = update._meta?.codex?.threadStatus?.type;
  return status === 'idle' || status === 'systemError';
}
