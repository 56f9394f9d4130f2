import type { AppendMessage } from '../../shared/events.ts';
import { isUserItemId, type TurnEvent, type TurnSummary, type UpsertObject } from '../../shared/stream-contracts.ts';
import { beginTurn, foldTurn } from '../../shared/turns.ts';
import { type HistoryPage, type PageLimits, pageBefore } from '../journal/history-page.ts';

/** Text that was added at the length `at`. */
export type TextGrowth = Pick<AppendMessage, 'at' | 'text'>;

/** The current state of an open session: its items in order of first appearance, and its turns. */
export interface LiveSession {
  /** Returns `growth` if appending it to the previous item gives the new one. */
  applyUpsert(upsert: UpsertObject, growth?: TextGrowth): TextGrowth | undefined;
  /** Returns false if the event changes nothing because the turn has ended. */
  applyTurn(event: TurnEvent, now: string): boolean;
  item(itemId: string): UpsertObject | undefined;
  /** Returns the newest page, or the page before an item, or undefined if the item is unknown. */
  page(before?: string): HistoryPage | undefined;
  runningTurns(): ReadonlySet<string>;
  /** Number of running background tasks. */
  backgroundCount(): number;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
}

export function createLiveSession(history: readonly UpsertObject[], pages?: PageLimits): LiveSession {
  const items = new Map<string, UpsertObject>(history.map((upsert) => [upsert.itemId, upsert]));
  const turns = new Map<string, TurnSummary>();
  const running = new Set<string>();
  const background = new Set<string>();
  /** When each tool call that runs began. */
  const starts = new Map<string, string>();

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

  return {
    applyUpsert(upsert, growth) {
      const { itemId, turnId } = upsert;
      const known = items.get(itemId);
      items.set(itemId, withStart(upsert));
      if (isUserItemId(itemId) && !turns.has(turnId)) putTurn(beginTurn(turnId, upsert.emittedAt));
      if (isRunningInBackground(upsert)) background.add(itemId);
      else background.delete(itemId);
      return known !== undefined && growth !== undefined && isGrown(known, upsert, growth) ? growth : undefined;
    },
    applyTurn(event, now) {
      const known = turns.get(event.turnId);
      const turn = foldTurn(known, event, now);
      if (turn === known || turn === undefined) return false;
      putTurn(turn);
      return true;
    },
    item: (itemId) => items.get(itemId),
    page: (before) => pageBefore([...items.values()], [...turns.values()], before, pages),
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
