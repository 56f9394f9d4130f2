import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { ConversationTurn } from './conversation-turns.ts';

export interface Weaving {
  readonly kept: readonly UpsertObject[];
  readonly keptTurnOf: readonly ConversationTurn[];
  readonly native: readonly UpsertObject[];
  /** The place of the kept item that is the same, or -1. */
  readonly matches: Int32Array;
  /** Whether to leave the native item at this place out. */
  readonly isUnwanted: (place: number) => boolean;
  /** The kept turn that the native item at this place belongs to. */
  readonly turnOf: (place: number) => ConversationTurn | undefined;
}

/**
 * Where items that only the transcript has stand among those of the journal, whose order stays. Returns the places of
 * native items after each kept place; -1 is the beginning.
 *
 * An item stands after everything that is before it in the transcript, and before what follows in its own turn. What only
 * the journal has of the same turn comes first; whole turns are in the order of their times.
 */
export function weave(weaving: Weaving): ReadonlyMap<number, readonly number[]> {
  const { kept, keptTurnOf, native, matches, isUnwanted, turnOf } = weaving;
  const added = new Map<number, number[]>();
  if (!matches.includes(-1)) return added;
  const bounds = upperBounds(weaving);
  const gapEnds = endsOfGaps(kept.length, matches);
  let reached = -1;

  function placeOf(item: UpsertObject, turn: ConversationTurn | undefined, bound: number): number {
    const from = Math.min(reached, bound - 1);
    const end = Math.min(gapEnds[from + 1] ?? kept.length, bound);
    const time = turn === undefined ? Date.parse(item.sourceTimestamp) : 0;
    let place = from;
    while (place + 1 < end && isBefore(keptTurnOf[place + 1])) place += 1;
    return place;

    function isBefore(other: ConversationTurn | undefined): boolean {
      if (turn !== undefined || other === undefined) return other === turn;
      return firstOf(other) <= from || other.startedAt <= time;
    }
  }

  for (const [index, item] of native.entries()) {
    const match = matches[index] ?? -1;
    if (match >= 0) {
      reached = Math.max(reached, match);
    } else if (!isUnwanted(index)) {
      const place = placeOf(item, turnOf(index), bounds[index] ?? kept.length);
      const here = added.get(place);
      if (here === undefined) added.set(place, [index]);
      else here.push(index);
      reached = Math.max(reached, place);
    }
  }
  return added;
}

function firstOf({ user, others }: ConversationTurn): number {
  return Math.min(user ?? Number.POSITIVE_INFINITY, others[0] ?? Number.POSITIVE_INFINITY);
}

/** For each native item the kept place that it must stand before: that of the next match in its turn, or of the next turn. */
function upperBounds({ native, matches, turnOf }: Weaving): number[] {
  const bounds: number[] = new Array(native.length).fill(Number.POSITIVE_INFINITY);
  const inTurn = new Map<ConversationTurn, number>();
  let anywhere = Number.POSITIVE_INFINITY;
  for (let index = native.length - 1; index >= 0; index -= 1) {
    const match = matches[index] ?? -1;
    const turn = turnOf(index);
    if (match < 0) {
      bounds[index] = turn === undefined ? anywhere : (inTurn.get(turn) ?? Number.POSITIVE_INFINITY);
    } else {
      if (turn !== undefined) inTurn.set(turn, Math.min(inTurn.get(turn) ?? match, match));
      anywhere = Math.min(anywhere, match);
    }
  }
  return bounds;
}

/** For each kept place the next one, from it on, that the transcript has too. */
function endsOfGaps(length: number, matches: Int32Array): Int32Array {
  const isMatched = new Uint8Array(length);
  for (const match of matches) if (match >= 0) isMatched[match] = 1;
  const ends = new Int32Array(length + 1).fill(length);
  for (let place = length - 1; place >= 0; place -= 1) {
    ends[place] = isMatched[place] === 1 ? place : (ends[place + 1] ?? length);
  }
  return ends;
}
