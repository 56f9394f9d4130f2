import type { SessionId } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
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
}

export interface ReadConversationOptions {
  readonly sessionId: SessionId;
  readonly journal: Journal;
  readonly now: () => string;
  readonly gaps?: HistoryGaps | undefined;
  readonly pages?: PageLimits | undefined;
  /** Reads the conversation from the copy of the agent's files. Undefined if there is none. */
  readonly readCopy?: (() => Promise<readonly UpsertObject[] | undefined>) | undefined;
}

/** Loads the session in the agent, given what we keep of it. */
export type LoadAgentSession = (kept: KeptSession | undefined) => Promise<ProviderSession>;

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
  const loaded = await load(kept);
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
  return { ...newestPart(conversation, pages), isMissing };
}

const NOTHING: NewestPart = { page: { entries: [], turns: [], more: false }, nextPosition: 0 };

/** That of a new session. */
export const NO_CONVERSATION: Conversation = { ...NOTHING, isMissing: false };

export function newestPart({ entries, turns }: KeptConversation, pages?: PageLimits): NewestPart {
  return { page: pageBefore(entries, turns, undefined, pages) ?? NOTHING.page, nextPosition: entries.length };
}
