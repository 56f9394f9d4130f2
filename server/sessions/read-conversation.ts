import type { SessionId } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { NewestHistory } from '../engine/native-sessions.ts';
import type { ProviderSession } from '../engine/provider-types.ts';
import type { HistoryGaps } from '../history-gaps.ts';
import { type PageLimits, pageBefore } from '../journal/history-page.ts';
import type { Journal, KeptConversation, KeptSession } from '../journal/journal.ts';
import { reconcile } from '../journal/reconcile/reconcile.ts';
import { settle } from '../journal/reconcile/settle.ts';
import type { NewestPart } from './live-session.ts';

export interface Conversation extends NewestPart {
  /** The agent no longer has it. */
  readonly isMissing: boolean;
  /** Identifies what the agent had. */
  readonly stamp?: string | undefined;
  /** Only the newest part was read. */
  readonly isPartial?: true;
}

export interface ReadConversationOptions {
  readonly sessionId: SessionId;
  readonly journal: Journal;
  readonly now: () => string;
  readonly gaps?: HistoryGaps | undefined;
  readonly pages?: PageLimits | undefined;
  /** Reads the newest part of a conversation that takes long to read. Undefined if it does not. */
  readonly readNewest?: (() => Promise<NewestHistory | undefined>) | undefined;
  /** Reads the conversation from the copy of the agent's files. Undefined if there is none. */
  readonly readCopy?: (() => Promise<readonly UpsertObject[] | undefined>) | undefined;
}

/** Loads the session in the agent, given what we keep of it and what of the agent's was read already. */
export type LoadAgentSession = (kept: KeptSession | undefined, stamp: string | undefined) => Promise<ProviderSession>;

/**
 * The conversation as it was shown, brought up to date with what the agent has. The agent's files are read only if they
 * have changed since.
 */
export async function readConversation(
  options: ReadConversationOptions,
  load: LoadAgentSession,
): Promise<Conversation> {
  const { journal, sessionId, pages } = options;
  const kept = await journal.open(sessionId, pages);
  const newest = kept?.hasUnfinished ? undefined : await options.readNewest?.();
  if (newest !== undefined && (kept !== undefined || !newest.isWhole)) {
    const { isMissing = false } = await load(kept, newest.stamp);
    // What is new in it is found by the look that follows.
    if (kept !== undefined) return { ...kept, isMissing };
    const part = newestPart({ entries: newest.history, turns: [] }, pages);
    return { ...part, page: { ...part.page, more: true }, isMissing, stamp: newest.stamp, isPartial: true };
  }
  const loaded = await load(kept, kept?.stamp);
  const isMissing = loaded.isMissing === true;
  const isCurrent = loaded.isCurrent === true || isMissing;
  if (kept !== undefined && isCurrent && !kept.hasUnfinished) return { ...kept, isMissing };
  const native = isMissing && kept === undefined ? await options.readCopy?.() : isCurrent ? undefined : loaded.history;
  if (kept === undefined && (native === undefined || native.length === 0)) return { ...NOTHING, isMissing };
  const shown = settle(await journal.read(sessionId), options.now());
  const conversation = native === undefined ? shown : reconcile(shown, native, options.gaps);
  const stamp = isMissing ? undefined : loaded.stamp;
  // What cannot be written now is written later; the journal says so.
  await journal.replace(sessionId, conversation, stamp).catch(() => undefined);
  return { ...newestPart(conversation, pages), isMissing, stamp };
}

const NOTHING: NewestPart = { page: { entries: [], turns: [], more: false }, nextPosition: 0 };

/** That of a new session. */
export const NO_CONVERSATION: Conversation = { ...NOTHING, isMissing: false };

export function newestPart({ entries, turns }: KeptConversation, pages?: PageLimits): NewestPart {
  return { page: pageBefore(entries, turns, undefined, pages) ?? NOTHING.page, nextPosition: entries.length };
}
