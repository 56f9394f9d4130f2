import type { SessionId } from '../../shared/ids.ts';

/** How many numbers are reserved at a time: one write to the disk for so many events. */
const BLOCK = 100_000;

/** The numbers of a session's events while it is in memory. */
export interface SeqNumbers {
  /** The number given last; that of the snapshot with which this stay in memory began, if none was given since. */
  last(): number;
  /** False while the next block is not saved yet. */
  canGive(): boolean;
  give(): number;
}

/**
 * Gives every event of a session a number that no other event of it ever had, also after the session left memory and
 * after the server was killed: numbers come from blocks that are saved before the first number of them is given.
 */
export interface SeqAllocator {
  /**
   * Begins a stay in memory. `onReady`: numbers can be given again. A block that cannot be saved is used all the same;
   * a full disk must not stop a session.
   */
  begin(sessionId: SessionId, onReady: () => void): SeqNumbers;
  /** What to keep for a session that is not saved yet. */
  ceiling(sessionId: SessionId): number;
}

export interface SeqAllocatorDeps {
  readonly ceilingOf: (sessionId: SessionId) => number | undefined;
  /** Resolves when the ceiling is on the disk. */
  readonly save: (sessionId: SessionId, ceiling: number) => Promise<void>;
  readonly block?: number;
}

interface Range {
  last: number;
  /** Numbers up to here may be given. */
  ceiling: number;
  /** Numbers up to here will be, once that is saved. */
  reserved: number;
}

export function createSeqAllocator({ ceilingOf, save, block = BLOCK }: SeqAllocatorDeps): SeqAllocator {
  const ranges = new Map<SessionId, Range>();

  function rangeOf(sessionId: SessionId): Range {
    const ceiling = ceilingOf(sessionId) ?? 0;
    const range = ranges.get(sessionId) ?? { last: ceiling, ceiling, reserved: ceiling };
    ranges.set(sessionId, range);
    return range;
  }

  return {
    ceiling: (sessionId) => ranges.get(sessionId)?.reserved ?? 0,
    begin(sessionId, onReady) {
      const range = rangeOf(sessionId);
      // A load may find another history than the one the earlier numbers belong to: it counts as an event of its own,
      // so that no window takes the end of an earlier stay for the beginning of this one.
      if (range.last > 0) range.last += 1;
      const refill = () => {
        if (range.reserved - range.last > block / 2) return;
        const reserved = Math.max(range.reserved, range.last) + block;
        range.reserved = reserved;
        void save(sessionId, reserved)
          .catch(() => undefined)
          .then(() => {
            range.ceiling = reserved;
            onReady();
          });
      };
      refill();
      return {
        last: () => range.last,
        canGive: () => range.last < range.ceiling,
        give() {
          range.last += 1;
          refill();
          return range.last;
        },
      };
    },
  };
}
