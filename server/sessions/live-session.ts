import type { AppendMessage } from '../../shared/events.ts';
import type { TurnEvent, TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import { beginTurn, foldTurn } from '../../shared/turns.ts';
import { type HistoryPage, type PageLimits, pageBefore, pageIsFull } from '../journal/history-page.ts';

/** Text that was added at the length `at`. */
export type TextGrowth = Pick<AppendMessage, 'at' | 'text'>;

/** The newest part of a conversation, and where its next item goes. */
export interface NewestPart {
  readonly page: HistoryPage;
  readonly nextPosition: number;
}

/**
 * The current state of an open session: the newest page of its items in order of first appearance, and their turns.
 * Older items are in the journal only.
 */
export interface LiveSession {
  /** A turn of ours runs from here on, unless it is known already. */
  beginTurn(turnId: string, at: string): void;
  /** Returns `growth` if appending it to the previous item gives the new one. */
  applyUpsert(upsert: UpsertObject, growth?: TextGrowth): TextGrowth | undefined;
  /** The turn as it would be after an event. Undefined if the event changes nothing. */
  turnAfter(event: TurnEvent, now: string): TurnSummary | undefined;
  putTurn(turn: TurnSummary): void;
  turn(turnId: string): TurnSummary | undefined;
  item(itemId: string): UpsertObject | undefined;
  /** The place of an item that was first shown since the session was opened. */
  position(itemId: string): number | undefined;
  /** Takes the next place, for an item that is not shown yet. */
  takePosition(): number;
  page(): HistoryPage;
  /** Lets go of old items that are more than a page. */
  trim(): void;
  runningTurns(): ReadonlySet<string>;
  /** Number of running background tasks. */
  backgroundCount(): number;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
}

export function createLiveSession({ page, nextPosition }: NewestPart, limits?: PageLimits): LiveSession {
  const items = new Map<string, UpsertObject>();
  const positions = new Map<string, number>();
  const turns = new Map<string, TurnSummary>();
  const running = new Set<string>();
  const background = new Set<string>();
  /** When each tool call that runs began. */
  const starts = new Map<string, string>();
  /** The journal has older items. */
  let { more } = page;
  let next = nextPosition;

  for (const upsert of page.entries) items.set(upsert.itemId, upsert);
  for (const turn of page.turns) putTurn(turn);

  function takePosition(): number {
    next += 1;
    return next - 1;
  }

  function putTurn(turn: TurnSummary): void {
    turns.set(turn.turnId, turn);
    if (turn.status === 'running') running.add(turn.turnId);
    else running.delete(turn.turnId);
  }

  /** Background work outlives its turn, so a window that joins cannot tell from the turn how long it has been running. */
  function withStart(upsert: UpsertObject): UpsertObject {
    if (upsert.type !== 'tool_call') return upsert;
    const startedAt = starts.get(upsert.itemId) ?? upsert.emittedAt;
    if (isOpen(upsert)) starts.set(upsert.itemId, startedAt);
    else starts.delete(upsert.itemId);
    return isRunningInBackground(upsert) ? { ...upsert, startedAt } : upsert;
  }

  const newestPage = () => pageBefore([...items.values()], [...turns.values()], undefined, limits);

  return {
    beginTurn(turnId, at) {
      if (!turns.has(turnId)) putTurn(beginTurn(turnId, at));
    },
    applyUpsert(upsert, growth) {
      const { itemId } = upsert;
      const known = items.get(itemId);
      if (known === undefined) positions.set(itemId, takePosition());
      items.set(itemId, withStart(upsert));
      if (isRunningInBackground(upsert)) background.add(itemId);
      else background.delete(itemId);
      return known !== undefined && growth !== undefined && isGrown(known, upsert, growth) ? growth : undefined;
    },
    turnAfter(event, now) {
      const known = turns.get(event.turnId);
      const turn = foldTurn(known, event, now);
      return turn === known ? undefined : turn;
    },
    putTurn,
    turn: (turnId) => turns.get(turnId),
    item: (itemId) => items.get(itemId),
    position: (itemId) => positions.get(itemId),
    takePosition,
    page() {
      const newest = newestPage();
      return { entries: [], turns: [], ...newest, more: more || (newest?.more ?? false) };
    },
    trim() {
      if (!pageIsFull([...items.values()], 2, limits)) return;
      const kept = newestPage();
      const keptIds = new Set(kept?.entries.map(({ itemId }) => itemId));
      const keptTurns = new Set([...(kept?.turns.map(({ turnId }) => turnId) ?? []), ...running]);
      for (const [itemId, item] of items) {
        if (keptIds.has(itemId) || isOpen(item) || running.has(item.turnId)) continue;
        items.delete(itemId);
        positions.delete(itemId);
        more = true;
      }
      for (const turnId of [...turns.keys()]) if (!keptTurns.has(turnId)) turns.delete(turnId);
    },
    runningTurns: () => running,
    backgroundCount: () => background.size,
    hasFailed: () => [...turns.values()].at(-1)?.status === 'error',
  };
}

function isRunningInBackground(upsert: UpsertObject): boolean {
  return upsert.type === 'tool_call' && upsert.background === true && isOpen(upsert);
}

const isOpen = ({ status }: UpsertObject): boolean => status === 'create' || status === 'update';

/** Checks the provider's growth, because a wrong append would show wrong text. */
function isGrown(known: UpsertObject, next: UpsertObject, { at, text }: TextGrowth): boolean {
  if (known.type === 'tool_call' || next.type === 'tool_call' || !isOpen(known) || next.status === 'create')
    return false;
  const isSameItem = known.turnId === next.turnId && known.parentItemId === next.parentItemId;
  return (
    isSameItem && isSameSpeaker(known, next) && at === known.content.length && at + text.length === next.content.length
  );
}

function isSameSpeaker(known: UpsertObject, next: UpsertObject): boolean {
  if (known.type === 'message') return next.type === 'message' && known.origin === next.origin;
  return known.type === 'thinking' && next.type === 'thinking' && known.providerId === next.providerId;
}
