import type { Dialect } from './dialect.ts';
import type { SessionUpdate } from './session-update.ts';

/** Notices and changes of state were for those who were there. */
export function isPartOfHistory({ sessionUpdate }: SessionUpdate): boolean {
  return (
    sessionUpdate === 'agent_message_chunk' ||
    sessionUpdate === 'agent_thought_chunk' ||
    sessionUpdate === 'tool_call' ||
    sessionUpdate === 'tool_call_update' ||
    sessionUpdate === 'plan'
  );
}

/** Where a message comes whole, the same text under the same id is the same message again. */
export function createRepeatFilter(dialect: Dialect): (update: SessionUpdate) => boolean {
  if (!dialect.replaysWholeMessages) return () => false;
  const seen = new Set<string>();
  return (update) => {
    const key = keyOfMessage(update);
    if (key === undefined) return false;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  };
}

function keyOfMessage(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.messageId == null ? undefined : `${update.sessionUpdate}\n${update.messageId}\n${update.content}`;
    default:
      return undefined;
  }
}
