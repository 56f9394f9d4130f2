import type { TurnSummary } from '../../../shared/stream-contracts.ts';
import type { Item } from './item.ts';

/**
 * What a snapshot did to what was shown before: all of it is still there, a running turn was ended by a stop of the
 * server, or something that was shown is missing.
 */
export type SnapshotLoss = 'none' | 'stopped' | 'shown';

export interface Shown {
  readonly items: ReadonlyMap<string, Item>;
  readonly turns: ReadonlyMap<string, TurnSummary>;
}

export function compareShown(before: Shown, after: Shown): SnapshotLoss {
  for (const [itemId, item] of before.items) if (lengthOf(after.items.get(itemId)) < lengthOf(item)) return 'shown';
  for (const { turnId, status } of before.turns.values()) {
    if (status === 'running' && after.turns.get(turnId)?.errorCode === 'SERVER_STOPPED') return 'stopped';
  }
  return 'none';
}

/** Output of tools is left out: an agent may shorten it when the tool ends. */
function lengthOf(item: Item | undefined): number {
  if (item === undefined) return -1;
  return item.upsert.type === 'tool_call' ? 0 : item.upsert.content.length;
}
