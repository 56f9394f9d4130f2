import type { Steps } from '../../../time-slice.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** An entry whose parent is missing continues the one that was written last before it, if that was not long before. */
const MAX_GAP_MS = 5_000;

interface Timed {
  readonly at: number;
  readonly entry: TranscriptEntry;
}

/** Finds the entry nearest in time that is not in `seen`, which may grow meanwhile. */
export function createNearestFinder(entries: readonly TranscriptEntry[], seen: ReadonlySet<TranscriptEntry>) {
  /** Entries of sub-agents only continue those of sub-agents. */
  const sides = new Map<boolean | undefined, Timed[]>();

  function* sideOf(isSidechain: boolean | undefined): Steps<Timed[]> {
    const known = sides.get(isSidechain);
    if (known !== undefined) return known;
    const side: Timed[] = [];
    for (const entry of entries) {
      yield;
      const at = timeOf(entry);
      const isSnapshot = entry.type === 'system' && entry.subtype === 'file_snapshot';
      if (at !== undefined && entry.isSidechain === isSidechain && !isSnapshot) side.push({ at, entry });
    }
    // Of several at the same time the first one counts.
    side.reverse().sort((one, other) => one.at - other.at);
    sides.set(isSidechain, side);
    return side;
  }

  return function* findNearest(orphan: TranscriptEntry): Steps<TranscriptEntry | undefined> {
    const until = timeOf(orphan);
    if (until === undefined) return undefined;
    const side = yield* sideOf(orphan.isSidechain);
    for (let place = countUntil(side, until) - 1; place >= 0; place -= 1) {
      yield;
      const timed = side[place];
      if (timed === undefined || until - timed.at > MAX_GAP_MS) return undefined;
      if (!seen.has(timed.entry)) return timed.entry;
      // It will never be free again.
      side.splice(place, 1);
    }
    return undefined;
  };
}

/** How many are not later than that. */
function countUntil(side: readonly Timed[], until: number): number {
  let [from, to] = [0, side.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((side[middle]?.at ?? 0) <= until) from = middle + 1;
    else to = middle;
  }
  return from;
}

function timeOf({ timestamp }: TranscriptEntry): number | undefined {
  const at = Date.parse(timestamp ?? '');
  return Number.isNaN(at) ? undefined : at;
}
