export interface EventOrder {
  /** A snapshot replaces everything up to this number. */
  snapshot(asOf: number): void;
  /** Whether the event with this number is the next one. False for an event that is known already. */
  accept(seq: number): boolean;
  /** Something is missing: drops all events until the next snapshot. */
  lose(): void;
}

/** Checks that no event of the session is missing or applied twice. `onLost` is to ask for a snapshot. */
export function createEventOrder(onLost: () => void): EventOrder {
  /** Undefined until the first snapshot, and while a snapshot is awaited. */
  let last: number | undefined;

  function lose(): void {
    last = undefined;
    onLost();
  }

  return {
    snapshot(asOf) {
      last = asOf;
    },
    accept(seq) {
      if (last === undefined || seq <= last) return false;
      if (seq !== last + 1) {
        lose();
        return false;
      }
      last = seq;
      return true;
    },
    lose,
  };
}
