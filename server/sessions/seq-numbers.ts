import type { SessionId } from '../../shared/ids.ts';

/** Numbers reserved per write to disk. */
const BLOCK = 100_000;

/** Allocates the event numbers of a session while it is in memory. */
export interface SeqNumbers {
  /** The last allocated number, or the number of the initial snapshot. */
  last(): number;
  /** False while the next block is being saved. */
  canGive(): boolean;
  give(): number;
}

/**
 * Allocates event numbers that are never reused, even after an eviction or a killed server: numbers come from blocks
 * that are saved before their first number is used.
 */
export interface SeqAllocator {
  /**
   * Opens the allocator of a session. `onReady` is called when numbers are available again. A block that cannot be
   * saved is used anyway, because a full disk must not stop a session.
   */
  begin(sessionId: SessionId, onReady: () => void): SeqNumbers;
  /** The ceiling to store with a new session. */
  ceiling(sessionId: SessionId): number;
}

export interface SeqAllocatorDeps {
  readonly ceilingOf: (sessionId: SessionId) => number | undefined;
  /** Resolves when the ceiling is on disk. */
  readonly save: (sessionId: SessionId, ceiling: number) => Promise<void>;
  readonly block?: number;
}

interface Range {
  last: number;
  /** Numbers up to here can be used. */
  ceiling: number;
  /** Numbers up to here can be used once this is saved. */
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
      // A load may find a different history than before, so it counts as an event: a window cannot mistake the end of
      // the previous stay in memory for the start of this one.
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
