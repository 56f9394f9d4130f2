import type { Dialect } from './dialect.ts';
import type { SessionUpdate } from './session-update.ts';

interface Question {
  readonly messageId: string | undefined;
  readonly content: string;
}

export interface ReplayedTurn {
  readonly question: Question | undefined;
  readonly reports: readonly SessionUpdate[];
}

/** A replay as turns: each begins with a message of the user. */
export function splitReplay(updates: readonly SessionUpdate[], dialect: Dialect): ReplayedTurn[] {
  const turns: { question: Question | undefined; reports: SessionUpdate[] }[] = [];
  for (const update of dialect.replaysWholeMessages ? withoutRepeats(updates) : updates) {
    const last = turns.at(-1);
    if (update.sessionUpdate === 'user_message_chunk') {
      const messageId = update.messageId ?? undefined;
      if (last?.question !== undefined && last.reports.length === 0 && last.question.messageId === messageId) {
        const separator = dialect.replaysWholeMessages ? '\n' : '';
        last.question = { messageId, content: `${last.question.content}${separator}${update.content}` };
      } else {
        turns.push({ question: { messageId, content: update.content }, reports: [] });
      }
    } else if (isPartOfHistory(update)) {
      if (last === undefined) turns.push({ question: undefined, reports: [update] });
      else last.reports.push(update);
    }
  }
  return turns;
}

/** Notices and changes of state were for those who were there. */
function isPartOfHistory({ sessionUpdate }: SessionUpdate): boolean {
  return (
    sessionUpdate === 'agent_message_chunk' ||
    sessionUpdate === 'agent_thought_chunk' ||
    sessionUpdate === 'tool_call' ||
    sessionUpdate === 'tool_call_update' ||
    sessionUpdate === 'plan'
  );
}

/** Where a message comes whole, the same text under the same id is the same message again. */
function* withoutRepeats(updates: readonly SessionUpdate[]): Generator<SessionUpdate> {
  const seen = new Set<string>();
  for (const update of updates) {
    const key = keyOfMessage(update);
    if (key !== undefined && seen.has(key)) continue;
    if (key !== undefined) seen.add(key);
    yield update;
  }
}

function keyOfMessage(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.messageId == null
        ? undefined
        : JSON.stringify([update.sessionUpdate, update.messageId, update.content]);
    default:
      return undefined;
  }
}
