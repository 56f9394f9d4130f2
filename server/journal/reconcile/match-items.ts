import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { alignAround, longestInOrder, type Pair } from './align.ts';
import {
  type ConversationTurn,
  type ConversationTurns,
  isAbandoned,
  type PlacedCall,
  type TextItem,
} from './conversation-turns.ts';
import type { TurnMatches } from './match-turns.ts';
import { isCut } from './merge-item.ts';

/** The places of items that are the same. -1: the other side does not have it. */
export interface ItemMatches {
  readonly ofNative: Int32Array;
  readonly ofKept: Int32Array;
}

export interface Side {
  readonly entries: readonly UpsertObject[];
  readonly turns: ConversationTurns['turns'];
}

/** Which item of the journal is which item of the transcript. */
export function matchItems(kept: Side, native: Side, turns: TurnMatches): ItemMatches {
  const ofNative = new Int32Array(native.entries.length).fill(-1);
  const ofKept = new Int32Array(kept.entries.length).fill(-1);
  const put = (ours: number, theirs: number) => {
    ofNative[theirs] = ours;
    ofKept[ours] = theirs;
  };
  for (const [theirs, ours] of turns) {
    if (ours.user !== undefined && theirs.user !== undefined) put(ours.user, theirs.user);
    if (theirs.calls.length > 0) matchCalls(ours.calls, theirs.calls, put);
  }
  matchCallsElsewhere(kept, native, { ofNative, ofKept }, put);
  const parents = parentPlaces(kept.entries, native.entries, ofNative);
  for (const [theirs, ours] of turns) {
    for (const scope of scopesOf(kept.entries, native.entries, { ours, theirs, parents })) {
      matchTexts(scope, kept.entries, native.entries, { ofNative, put, ours, theirs });
    }
  }
  return { ofNative, ofKept };
}

type Put = (ours: number, theirs: number) => void;

/** The calls of one turn. Most often they are in the same order. */
function matchCalls(ours: readonly PlacedCall[], theirs: readonly PlacedCall[], put: Put): void {
  if (theirs.every(({ key }, index) => ours[index]?.key === key)) {
    for (const [index, { place }] of theirs.entries()) put(ours[index]?.place ?? -1, place);
    return;
  }
  const places = new Map(ours.map(({ key, place }) => [key, place]));
  for (const { key, place } of theirs) {
    const same = places.get(key);
    if (same === undefined) continue;
    put(same, place);
    places.delete(key);
  }
}

/** A call may stand in another turn: Codex stores a compaction, or the end of a command, with the turn before or after. */
function matchCallsElsewhere(kept: Side, native: Side, { ofNative, ofKept }: ItemMatches, put: Put): void {
  const isOpen = (matches: Int32Array) => (place: number) => matches[place] === -1;
  const theirs = uniqueCalls(native, isOpen(ofNative));
  if (theirs.size === 0) return;
  const ours = uniqueCalls(kept, isOpen(ofKept));
  for (const [key, place] of theirs) {
    const same = ours.get(key);
    if (same !== undefined && same >= 0 && place >= 0) put(same, place);
  }
}

/** The places of the calls that are not matched, by their keys. -1 for a key that occurs more than once. */
function uniqueCalls({ turns }: Side, isOpen: (place: number) => boolean): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { calls } of turns) {
    for (const { key, isOfTurn, place } of calls) {
      if (!isOfTurn && isOpen(place)) places.set(key, places.has(key) ? -1 : place);
    }
  }
  return places;
}

/** For the id of a call in the transcript, the id that it has in the journal. */
function parentPlaces(
  kept: readonly UpsertObject[],
  native: readonly UpsertObject[],
  ofNative: Int32Array,
): (parentItemId: string) => string {
  let ids: Map<string, string> | undefined;
  return (parentItemId) => {
    if (ids === undefined) {
      ids = new Map();
      for (const [place, { itemId }] of native.entries()) {
        const same = kept[ofNative[place] ?? -1];
        if (same !== undefined) ids.set(itemId, same.itemId);
      }
    }
    return ids.get(parentItemId) ?? parentItemId;
  };
}

interface Scope {
  readonly left: readonly number[];
  readonly right: readonly number[];
}

interface TurnPair {
  readonly ours: ConversationTurn;
  readonly theirs: ConversationTurn;
}

/** The items of a turn itself, and those under each call of it. */
function scopesOf(
  kept: readonly UpsertObject[],
  native: readonly UpsertObject[],
  { ours, theirs, parents }: TurnPair & { readonly parents: (parentItemId: string) => string },
): Iterable<Scope> {
  if (!ours.hasSteps && !theirs.hasSteps) return [{ left: ours.others, right: theirs.others }];
  const scopes = new Map<string | undefined, { readonly left: number[]; readonly right: number[] }>();
  const scopeOf = (parentItemId: string | undefined) => {
    const scope = scopes.get(parentItemId) ?? { left: [], right: [] };
    scopes.set(parentItemId, scope);
    return scope;
  };
  for (const place of ours.others) scopeOf(kept[place]?.parentItemId).left.push(place);
  for (const place of theirs.others) {
    const parentItemId = native[place]?.parentItemId;
    scopeOf(parentItemId === undefined ? undefined : parents(parentItemId)).right.push(place);
  }
  return scopes.values();
}

interface Matching extends TurnPair {
  readonly ofNative: Int32Array;
  readonly put: Put;
}

/**
 * Texts have no ids that hold on both sides: a retry shifts the numbers. They are compared in order, between the calls that
 * are known already.
 */
function matchTexts(
  { left, right }: Scope,
  kept: readonly UpsertObject[],
  native: readonly UpsertObject[],
  { ofNative, put, ours, theirs }: Matching,
): void {
  const weigh = (l: number, r: number): number => {
    const mine = kept[left[l] ?? -1];
    const other = native[right[r] ?? -1];
    if (mine === undefined || other === undefined || mine.type === 'tool_call' || other.type === 'tool_call') return 0;
    const isSamePlace = () => mine.itemId.slice(ours.turnId.length) === other.itemId.slice(theirs.turnId.length);
    return likeness(mine, other) || (isReworded(mine, other) && isSamePlace() ? REWORDED : 0);
  };
  const isSame = (l: number, r: number) => weigh(l, r) === EQUAL;
  const calls = theirs.calls.length === 0 ? [] : callPairs(left, right, ofNative);
  for (const [l, r] of alignAround(calls, { left: left.length, right: right.length, weigh, isSame })) {
    const [our, their] = [left[l], right[r]];
    if (our !== undefined && their !== undefined) put(our, their);
  }
}

/** The calls that are matched, as far as they are in the same order. */
function callPairs(left: readonly number[], right: readonly number[], ofNative: Int32Array): Pair[] {
  const places = new Map(left.map((place, index) => [place, index]));
  const pairs: Pair[] = [];
  for (const [index, place] of right.entries()) {
    const same = places.get(ofNative[place] ?? -1);
    if (same !== undefined) pairs.push([same, index]);
  }
  return longestInOrder(pairs);
}

const EQUAL = 80;
const REWORDED = 10;

function isSameKind(kept: TextItem, native: TextItem): boolean {
  return kept.type === native.type && originOf(kept) === originOf(native) && isAbandoned(kept) === isAbandoned(native);
}

/** It may be the same message in other words, such as with links that were written out. */
function isReworded(kept: TextItem, native: TextItem): boolean {
  return kept.status === 'complete' && native.status === 'complete' && isSameKind(kept, native);
}

function likeness(kept: TextItem, native: TextItem): number {
  if (!isSameKind(kept, native)) return 0;
  if (kept.content === native.content) return EQUAL;
  const ours = kept.content.trimEnd();
  const theirs = native.content.trimEnd();
  if (ours === theirs) return EQUAL;
  if (theirs.startsWith(ours)) return isCut(kept) ? 40 : ours === '' ? 0 : 30;
  return theirs !== '' && ours.startsWith(theirs) ? 20 : 0;
}

const originOf = (item: TextItem): string | undefined => (item.type === 'message' ? item.origin : undefined);
