import { isCountedTurnId } from '../../../shared/stream-contracts.ts';
import { alignInOrder, type Pair } from './align.ts';
import { type ConversationTurn, isCallTrace } from './conversation-turns.ts';

/** Turns of the journal by turns of the transcript. */
export type TurnMatches = ReadonlyMap<ConversationTurn, ConversationTurn>;

/**
 * Which turn of the journal is which turn of the transcript.
 *
 * Ids decide. A transcript that only counts its turns has no ids: there the user's text, what the agent did and the time
 * tell, in order.
 */
export function matchTurns(kept: Turns, native: Turns): TurnMatches {
  const matches = new Map<ConversationTurn, ConversationTurn>();
  const byId = new Map(kept.map((turn) => [turn.turnId, turn]));
  const counted: ConversationTurn[] = [];
  for (const turn of native) {
    const same = byId.get(turn.turnId);
    if (isCountedTurnId(turn.turnId)) counted.push(turn);
    else if (same !== undefined) matches.set(turn, same);
  }
  if (counted.length === 0) return matches;
  const taken = new Set(matches.values());
  const open = kept.filter((turn) => !taken.has(turn));
  for (const [left, right] of alignTurns(open, counted)) {
    const [ours, theirs] = [open[left], counted[right]];
    if (ours !== undefined && theirs !== undefined) matches.set(theirs, ours);
  }
  return matches;
}

type Turns = readonly ConversationTurn[];
type MarksOf = (turn: ConversationTurn) => readonly string[];

/** Splits both sequences where the agent's output tells what belongs together, and weighs only what is between. */
function alignTurns(kept: Turns, native: Turns): Pair[] {
  return splitAt(anchors(kept, native, traceMarks), kept, native, (ours, theirs) =>
    ours.length * theirs.length > MAX_BETWEEN
      ? splitAt(anchors(ours, theirs, textMarks), ours, theirs, alignBetween)
      : alignBetween(ours, theirs),
  );
}

/** Between anchors more than this is split again, by the user's texts. */
const MAX_BETWEEN = 10_000;

function splitAt(
  fixed: readonly Pair[],
  kept: Turns,
  native: Turns,
  align: (kept: Turns, native: Turns) => readonly Pair[],
): Pair[] {
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  for (const [leftEnd, rightEnd] of [...fixed, [kept.length, native.length] as const]) {
    const between = align(kept.slice(left, leftEnd), native.slice(right, rightEnd));
    for (const [l, r] of between) pairs.push([left + l, right + r]);
    if (leftEnd < kept.length || rightEnd < native.length) pairs.push([leftEnd, rightEnd]);
    [left, right] = [leftEnd + 1, rightEnd + 1];
  }
  return pairs;
}

function alignBetween(kept: Turns, native: Turns): Pair[] {
  if (kept.length === 0 || native.length === 0) return [];
  return alignInOrder({
    left: kept.length,
    right: native.length,
    weigh: (left, right) => weigh(kept[left], native[right]),
    isSame: (left, right) => isSame(kept[left], native[right]),
  });
}

const SAME_TEXT = 100_000;
const SAME_TRACES = 100_000;
const SAME_ID = 10_000;
/** Nearness counts up to this many milliseconds. */
const NEAR_MS = 60_000;
/** How exact the times are. An agent has a message after it was sent, so that an earlier one is another one. */
const SAME_MOMENT_MS = 250;

function weigh(kept: ConversationTurn | undefined, native: ConversationTurn | undefined): number {
  if (kept === undefined || native === undefined || kept.text !== native.text) return 0;
  const likeness = likenessOf(kept, native);
  if (likeness === 0 && mustDiffer(kept, native)) return 0;
  const apart = Math.abs(kept.startedAt - native.startedAt);
  const nearness = apart < NEAR_MS ? NEAR_MS - apart : 0;
  const id = kept.turnId === native.turnId ? SAME_ID : 0;
  return SAME_TEXT + Math.round(SAME_TRACES * likeness) + id + nearness;
}

/** For turns without any output in common. */
function mustDiffer(kept: ConversationTurn, native: ConversationTurn): boolean {
  if (kept.text === undefined || native.startedAt < kept.startedAt - SAME_MOMENT_MS) return true;
  if (kept.traces.size === 0 || native.traces.size === 0) return false;
  return native.startedAt > kept.startedAt + SAME_MOMENT_MS;
}

function isSame(kept: ConversationTurn | undefined, native: ConversationTurn | undefined): boolean {
  return kept !== undefined && native !== undefined && kept.text === native.text && likenessOf(kept, native) === 1;
}

/** How much of the agent's output is the same, from 0 to 1. 0 if there is none. */
function likenessOf({ traces }: ConversationTurn, native: ConversationTurn): number {
  let shared = 0;
  for (const trace of native.traces) if (traces.has(trace)) shared += 1;
  return shared === 0 ? 0 : shared / Math.max(traces.size, native.traces.size);
}

/** Turns with a mark that occurs once on each side, as far as they are in the same order. */
function anchors(kept: Turns, native: Turns, marksOf: MarksOf): Pair[] {
  const ours = uniqueMarks(kept, marksOf);
  const partners = new Map<number, number>();
  for (const [mark, right] of uniqueMarks(native, marksOf)) {
    const left = ours.get(mark);
    if (left === undefined || right === undefined || partners.has(right)) continue;
    if (weigh(kept[left], native[right]) > 0) partners.set(right, left);
  }
  return longestInOrder([...partners].map(([right, left]): Pair => [left, right]).sort(([, a], [, b]) => a - b));
}

const textMarks: MarksOf = ({ text }) => (text === undefined ? [] : [text]);

const traceMarks: MarksOf = ({ text = '', traces }) =>
  [...traces].map((trace) => (isCallTrace(trace) ? trace : `${text}\n${trace}`));

/** Marks that only one turn has. Undefined for those that several have. */
function uniqueMarks(turns: Turns, marksOf: MarksOf): ReadonlyMap<string, number | undefined> {
  const marks = new Map<string, number | undefined>();
  for (const [index, turn] of turns.entries()) {
    for (const mark of marksOf(turn)) marks.set(mark, marks.has(mark) ? undefined : index);
  }
  return marks;
}

/** The longest part of the pairs in which the left sides grow too. The right sides grow. */
function longestInOrder(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, [left]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[0] ?? 0) < left) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const chain: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) chain.push(pair);
  }
  return chain.reverse();
}
