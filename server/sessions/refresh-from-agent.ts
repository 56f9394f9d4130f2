import type { SessionId } from '../../shared/ids.ts';
import type { StoredHistory } from '../engine/provider-types.ts';
import type { HistoryGaps } from '../history-gaps.ts';
import type { PageLimits } from '../journal/history-page.ts';
import type { Journal, KeptConversation } from '../journal/journal.ts';
import { reconcile } from '../journal/reconcile/reconcile.ts';
import { type Conversation, newestPart } from './read-conversation.ts';

export interface RefreshOptions {
  readonly sessionId: SessionId;
  readonly journal: Journal;
  readonly gaps?: HistoryGaps | undefined;
  readonly pages?: PageLimits | undefined;
}

/** The conversation after a look at what the agent has of it. Undefined if that changes nothing. */
export async function refreshFromAgent(
  { sessionId, journal, gaps, pages }: RefreshOptions,
  readHistory: () => Promise<StoredHistory | undefined>,
): Promise<Conversation | undefined> {
  const stored = await readHistory();
  if (stored === undefined) return undefined;
  const shown = await journal.read(sessionId);
  const conversation = reconcile(shown, stored.history, gaps);
  if (isSame(shown, conversation)) return undefined;
  await journal.replace(sessionId, conversation, stored.stamp).catch(() => undefined);
  return { ...newestPart(conversation, pages), isMissing: false };
}

function isSame(a: KeptConversation, b: KeptConversation): boolean {
  return areSame(a.entries, b.entries) && areSame(a.turns, b.turns);
}

function areSame(a: readonly object[], b: readonly object[]): boolean {
  const isEqual = (one: object, index: number) => one === b[index] || JSON.stringify(one) === JSON.stringify(b[index]);
  return a.length === b.length && a.every(isEqual);
}
