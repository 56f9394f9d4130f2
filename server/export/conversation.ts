import type { SessionMeta } from '../../shared/entities.ts';
import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import type { HistoryPage } from '../journal/history-page.ts';

/** A conversation that can be read page by page, newest page first. */
export interface ConversationSource {
  newest(): HistoryPage | Promise<HistoryPage>;
  /** The page before an item. Undefined if there is no such item. */
  before(itemId: string): HistoryPage | undefined | Promise<HistoryPage | undefined>;
}

/** What a file says about the session besides its conversation. */
export interface ExportHead {
  readonly session: Pick<SessionMeta, 'id' | 'cliType' | 'title' | 'createdAt' | 'lastActiveAt'>;
  readonly agentLabel: string;
  readonly projectPath: string | undefined;
  readonly exportedAt: string;
}

export interface ConversationPart {
  readonly entries: readonly UpsertObject[];
  /** The turns of these entries; with the last part also those that have no entries. */
  readonly turns: readonly TurnSummary[];
}

/** Writes a conversation as text, in pieces. */
export type WriteConversation = (head: ExportHead, parts: AsyncIterable<ConversationPart>) => AsyncIterable<string>;

/**
 * Reads a conversation from its beginning. Pages are read from the end, so their limits are found first, and then each
 * page is read again: only one of them is in memory at a time. What is added meanwhile is not part of it.
 */
export async function* readForward(source: ConversationSource): AsyncGenerator<ConversationPart> {
  const newest = await source.newest();
  /** The first entry of each page, newest page first. */
  const starts: string[] = [];
  for (let page: HistoryPage | undefined = newest; page !== undefined; ) {
    const start: string | undefined = page.entries[0]?.itemId;
    if (start === undefined) break;
    starts.push(start);
    page = page.more ? await source.before(start) : undefined;
  }
  for (let at = starts.length - 1; at > 0; at -= 1) yield* readBetween(source, starts[at], starts[at - 1]);
  yield newest;
}

/** An entry may have grown since the limits were found: then a page begins later, and what is missing is read before it. */
async function* readBetween(
  source: ConversationSource,
  start: string | undefined,
  end: string | undefined,
): AsyncGenerator<ConversationPart> {
  const parts: ConversationPart[] = [];
  for (let before = end; before !== undefined && before !== start; ) {
    const page = await source.before(before);
    const first = page?.entries.findIndex(({ itemId }) => itemId === start) ?? -1;
    if (page === undefined || page.entries.length === 0) break;
    parts.unshift(first > 0 ? { ...page, entries: page.entries.slice(first) } : page);
    before = first >= 0 ? start : page.entries[0]?.itemId;
  }
  yield* parts;
}
