import { isCountedTurnId } from '../../../shared/stream-contracts.ts';
import { type Alignment, alignAround, alignInOrder, longestInOrder, type Pair } from './align.ts';
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
type Compare = (kept: ConversationTurn | undefined, native: ConversationTurn | undefined) => number;

/**
 * Splits both sequences where the agent's output tells what belongs together, and weighs only what is between. Where that
 * is much, the user's texts split it again.
 */
function alignTurns(kept: Turns, native: Turns): Pair[] {
  // Some agents tell no times: then all turns have the same one.
  const hasTimes = native.some(({ startedAt }) => startedAt !== native[0]?.startedAt);
  const compare: Compare = (ours, theirs) => (isTooEarly(ours, theirs) && hasTimes ? 0 : weigh(ours, theirs));
  const alignment: Alignment = {
    left: kept.length,
    right: native.length,
    weigh: (left, right) => compare(kept[left], native[right]),
    isSame: (left, right) => isSame(kept[left], native[right]) && compare(kept[left], native[right]) > 0,
  };
  return alignAround(anchors(kept, native, traceMarks, compare), alignment, (between, left, right) => {
    if (between.left * between.right <= MAX_BETWEEN) return alignInOrder(between);
    const [ours, theirs] = [kept.slice(left, left + between.left), native.slice(right, right + between.right)];
    return alignAround(anchors(ours, theirs, textMarks, compare), between);
  });
}

/** An agent never has a message before it was sent. */
function isTooEarly(kept: ConversationTurn | undefined, native: ConversationTurn | undefined): boolean {
  return kept !== undefined && native !== undefined && native.startedAt < kept.startedAt - SAME_MOMENT_MS;
}

const MAX_BETWEEN = 10_000;

const SAME_TEXT = 100_000;
const SAME_TRACES = 100_000;
const SAME_ID = 10_000;
const SAME_MOMENT = 1_000_000;
/** Nearness counts up to this many milliseconds. */
const NEAR_MS = 60_000;
/** How exact the times are. */
const SAME_MOMENT_MS = 250;

function weigh(kept: ConversationTurn | undefined, native: ConversationTurn | undefined): number {
  if (kept === undefined || native === undefined || kept.text !== native.text) return 0;
  const later = native.startedAt - kept.startedAt;
  const isSameMoment = Math.abs(later) <= SAME_MOMENT_MS;
  const likeness = likenessOf(kept, native);
  if (likeness < 1 && !isSameMoment && (later < 0 || (likeness === 0 && haveDifferentOutput(kept, native)))) return 0;
  const nearness = Math.max(0, NEAR_MS - Math.abs(later)) + (isSameMoment ? SAME_MOMENT : 0);
  const id = kept.turnId === native.turnId ? SAME_ID : 0;
  return SAME_TEXT + Math.round(SAME_TRACES * likeness) + id + nearness;
}

function haveDifferentOutput(kept: ConversationTurn, native: ConversationTurn): boolean {
  return kept.text === undefined || (kept.traces.size > 0 && native.traces.size > 0);
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
function anchors(kept: Turns, native: Turns, marksOf: MarksOf, compare: Compare): Pair[] {
  const ours = uniqueMarks(kept, marksOf);
  const partners = new Map<number, number>();
  for (const [mark, right] of uniqueMarks(native, marksOf)) {
    const left = ours.get(mark);
    if (left === undefined || right === undefined || partners.has(right)) continue;
    if (compare(kept[left], native[right]) > 0) partners.set(right, left);
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
