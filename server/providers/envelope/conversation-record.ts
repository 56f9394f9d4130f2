import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Clock } from '../../clock.ts';
import { asEnded } from '../../streaming/history.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

/**
 * Writes what happens in a session into its transcript, each item once it has ended. What cannot be written is kept and
 * tried again.
 */
export interface ConversationRecord {
  take(upsert: UpsertObject): void;
  /** Items of the turn that never ended by themselves are recorded as they are. */
  endTurn(turnId: string): void;
  /** What has ended and is not in the transcript. */
  unsaved(): readonly TranscriptEntry[];
  /** Tries a last time. */
  close(): void;
}

export interface ConversationRecordOptions {
  readonly transcript: Transcript;
  /** The place of the next item. */
  readonly firstOrder: number;
  readonly clock: Clock;
  /** From now on nothing can be written. */
  readonly onFailure: (error: unknown) => void;
  /** Everything is written again. */
  readonly onRecovery: () => void;
}

const RETRY_MS = 5_000;

export function createConversationRecord(options: ConversationRecordOptions): ConversationRecord {
  const { transcript, clock } = options;
  const unfinished = new Map<string, { order: number; item: UpsertObject }>();
  const unsaved: TranscriptEntry[] = [];
  let nextOrder = options.firstOrder;
  let isFailing = false;
  let retry: unknown;

  function write(order: number, item: UpsertObject): void {
    unsaved.push({ order, item: asEnded(item) });
    save();
  }

  function save(): void {
    clock.clearTimeout(retry);
    try {
      for (let [entry] = unsaved; entry !== undefined; [entry] = unsaved) {
        transcript.append(entry);
        unsaved.shift();
      }
    } catch (error) {
      retry = clock.setTimeout(save, RETRY_MS);
      if (!isFailing) {
        isFailing = true;
        options.onFailure(error);
      }
      return;
    }
    if (!isFailing) return;
    isFailing = false;
    options.onRecovery();
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
    unsaved: () => [...unsaved],
    close() {
      if (unsaved.length > 0) save();
      clock.clearTimeout(retry);
    },
  };
}
