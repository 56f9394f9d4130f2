import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { asEnded } from '../../streaming/history.ts';
import type { Transcript } from './transcript.ts';

/** Writes what happens in a session into its transcript, each item once it has ended. */
export interface ConversationRecord {
  take(upsert: UpsertObject): void;
  /** Items of the turn that never ended by themselves are recorded as they are. */
  endTurn(turnId: string): void;
  isToolRunning(): boolean;
}

export interface ConversationRecordOptions {
  readonly transcript: Transcript;
  /** The place of the next item. */
  readonly firstOrder: number;
  /** Called once, when something could not be written. */
  readonly onFailure: (error: unknown) => void;
}

export function createConversationRecord(options: ConversationRecordOptions): ConversationRecord {
  const { transcript, onFailure } = options;
  const unfinished = new Map<string, { order: number; item: UpsertObject }>();
  let nextOrder = options.firstOrder;
  let hasFailed = false;

  function write(order: number, item: UpsertObject): void {
    try {
      transcript.append({ order, item: asEnded(item) });
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      onFailure(error);
    }
  }

  function placeOf(itemId: string): number {
    const known = unfinished.get(itemId);
    if (known !== undefined) return known.order;
    nextOrder += 1;
    return nextOrder - 1;
  }

  return {
    take(item) {
      const order = placeOf(item.itemId);
      if (item.status === 'create' || item.status === 'update') {
        unfinished.set(item.itemId, { order, item });
        return;
      }
      unfinished.delete(item.itemId);
      write(order, item);
    },
    endTurn(turnId) {
      for (const { order, item } of [...unfinished.values()]) {
        if (item.turnId !== turnId) continue;
        unfinished.delete(item.itemId);
        write(order, item);
      }
    },
    isToolRunning: () => [...unfinished.values()].some(({ item }) => item.type === 'tool_call'),
  };
}
