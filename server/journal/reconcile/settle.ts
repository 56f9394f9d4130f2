import { errorCatalogue } from '../../../shared/errors.ts';
import type { TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { KeptConversation } from '../journal.ts';
import { isUserItem } from './conversation-turns.ts';

const STOPPED = {
  status: 'error',
  errorCode: 'SERVER_STOPPED',
  errorMessage: errorCatalogue.SERVER_STOPPED.message,
} as const;

/**
 * Ends what a killed server left open. Items keep their text; a turn ended when it was last heard of. Whether the agent
 * got the messages of such turns is uncertain.
 */
export function settle(kept: KeptConversation, now: string): KeptConversation {
  const running = new Set(kept.turns.filter(({ status }) => status === 'running').map(({ turnId }) => turnId));
  const ended = new Set(kept.turns.map(({ turnId }) => turnId).filter((turnId) => !running.has(turnId)));
  const open = new Set(kept.entries.filter(isOpen).map(({ itemId }) => itemId));
  const lastHeard = new Map<string, string>();
  const answered = new Set<string>();
  for (const item of kept.entries) {
    if (!running.has(item.turnId)) continue;
    if ((lastHeard.get(item.turnId) ?? '') < item.emittedAt) lastHeard.set(item.turnId, item.emittedAt);
    if (!isUserItem(item)) answered.add(item.turnId);
  }

  function settleItem(item: UpsertObject): UpsertObject {
    if (!open.has(item.itemId)) return item;
    // A text in a turn that was cancelled stays open; the turn says how it ended.
    const isOver = item.type !== 'tool_call' && ended.has(item.turnId) && !open.has(item.parentItemId ?? '');
    return isOver ? { ...item, status: 'complete' } : { ...item, ...STOPPED, emittedAt: now };
  }

  function settleTurn(turn: TurnSummary): TurnSummary {
    if (turn.status !== 'running') return turn;
    const { turnId, startedAt, receipt } = turn;
    const wasGiven = receipt === 'taken' || (receipt === 'kept' && answered.has(turnId));
    // Both are ISO times in UTC, so that their order is that of the texts.
    const [, endedAt = startedAt] = [startedAt, lastHeard.get(turnId) ?? startedAt].sort();
    return {
      ...turn,
      ...STOPPED,
      endedAt,
      ...(wasGiven && { receipt: 'uncertain' }),
    };
  }

  return { entries: kept.entries.map(settleItem), turns: kept.turns.map(settleTurn) };
}

const isOpen = ({ status }: UpsertObject): boolean => status === 'create' || status === 'update';
