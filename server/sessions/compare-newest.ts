import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import type { NewestHistory } from '../engine/native-sessions.ts';
import type { HistoryGaps } from '../history-gaps.ts';
import type { HistoryPage } from '../journal/history-page.ts';
import type { KeptConversation } from '../journal/journal.ts';
import {
  type ConversationTurn,
  type ConversationTurns,
  isOutput,
  turnsOf,
} from '../journal/reconcile/conversation-turns.ts';
import { matchTurns } from '../journal/reconcile/match-turns.ts';
import { reconcile } from '../journal/reconcile/reconcile.ts';

/** How a conversation changed, where what was shown only gained or changed. */
export interface Difference {
  /** Items that stay where they are. */
  readonly changed: readonly UpsertObject[];
  /** Items that come after everything else. */
  readonly added: readonly UpsertObject[];
  /** Turns with another receipt. */
  readonly turns: readonly TurnSummary[];
}

export interface Compared extends Difference {
  /** The agent has turns that were not shown: somebody else wrote them. */
  readonly hasForeign: boolean;
}

/**
 * Compares the newest page with the newest turns that the agent has. What is older on either side is not looked at.
 * Undefined if that cannot be told without the whole conversation, or if items would have to move.
 */
export function compareNewest(shown: HistoryPage, native: NewestHistory, gaps?: HistoryGaps): Compared | undefined {
  const kept = turnsOf(shown.entries);
  const parts = findParts(shown, kept, native);
  if (parts === undefined) return undefined;
  const part = keptFrom(shown, kept, parts.keptFrom);
  const difference = differenceOf(part, reconcile(part, parts.native, gaps));
  if (difference === undefined) return undefined;
  const known = new Set(shown.entries.map(({ itemId }) => itemId));
  if (difference.added.some(({ itemId }) => known.has(itemId))) return undefined;
  return { ...difference, hasForeign: hasForeignTurns(part.entries, parts.native) };
}

interface Parts {
  /** The first turn of the page that is compared. */
  readonly keptFrom: number;
  readonly native: readonly UpsertObject[];
}

/** Both sides from the same turn on. */
function findParts(shown: HistoryPage, kept: ConversationTurns, native: NewestHistory): Parts | undefined {
  const all = { keptFrom: 0, native: native.history };
  if (native.isWhole && !shown.more) return all;
  const nativeTurns = turnsOf(native.history);
  const matches = matchTurns(kept.turns, nativeTurns.turns);
  const first = nativeTurns.turns.findIndex((turn) => matches.has(turn));
  const start = nativeTurns.turns[first];
  const same = start && matches.get(start);
  if (start === undefined || same === undefined) return undefined;
  const keptFrom = kept.turns.indexOf(same);
  if (keptFrom > 0 || !shown.more) return first === 0 ? { ...all, keptFrom } : undefined;
  // The first turn of a page may have begun on the page before.
  const place = native.history.findIndex(({ itemId }) => itemId === shown.entries[0]?.itemId);
  if (place >= 0) return { keptFrom: 0, native: native.history.slice(place) };
  const next = nativeTurns.turns[first + 1];
  if (next === undefined || matches.get(next) !== kept.turns[1]) return undefined;
  return { keptFrom: 1, native: native.history.slice(nativeTurns.of.indexOf(next)) };
}

/** Items of older turns stay as they are, also those that came late. */
function keptFrom(shown: HistoryPage, { turns, of }: ConversationTurns, first: number): KeptConversation {
  if (first === 0) return shown;
  const wanted = new Set(turns.slice(first));
  const ids = new Set([...wanted].map(({ turnId }) => turnId));
  return {
    entries: shown.entries.filter((_, place) => {
      const turn = of[place];
      return turn !== undefined && wanted.has(turn);
    }),
    turns: shown.turns.filter(({ turnId }) => ids.has(turnId)),
  };
}

/** Undefined if items moved, or came between others. */
export function differenceOf(before: KeptConversation, after: KeptConversation): Difference | undefined {
  const isKept = before.entries.every(({ itemId }, place) => after.entries[place]?.itemId === itemId);
  if (!isKept) return undefined;
  return {
    changed: after.entries.filter(
      (item, place) => place < before.entries.length && !isSame(item, before.entries[place]),
    ),
    added: after.entries.slice(before.entries.length),
    turns: after.turns.filter((turn, place) => !isSame(turn, before.turns[place])),
  };
}

export function isEmpty({ changed, added, turns }: Difference): boolean {
  return changed.length + added.length + turns.length === 0;
}

export function hasForeignTurns(kept: readonly UpsertObject[], native: readonly UpsertObject[]): boolean {
  const { turns } = turnsOf(native);
  const matches = matchTurns(turnsOf(kept).turns, turns);
  const isOutputAt = (place: number) => native.slice(place, place + 1).some(isOutput);
  const hasContent = ({ user, others }: ConversationTurn) => user !== undefined || others.some(isOutputAt);
  return turns.some((turn) => !matches.has(turn) && hasContent(turn));
}

export function isSame(a: object | undefined, b: object | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
