import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { alignInOrder } from './align.ts';
import {
  type ConversationTurn,
  type ConversationTurns,
  callKey,
  isAbandoned,
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
    matchCalls(callsOf(kept.entries, [ours], true), callsOf(native.entries, [theirs], true), put);
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

function matchCalls(ours: ReadonlyMap<string, number>, theirs: ReadonlyMap<string, number>, put: Put): void {
  for (const [key, place] of theirs) {
    const same = ours.get(key);
    if (same !== undefined && same >= 0 && place >= 0) put(same, place);
  }
}

/** A call may stand in another turn: Codex stores a compaction, or the end of a command, with the turn before or after. */
function matchCallsElsewhere(kept: Side, native: Side, { ofNative, ofKept }: ItemMatches, put: Put): void {
  const ours = callsOf(kept.entries, kept.turns, false);
  const theirs = callsOf(native.entries, native.turns, false);
  matchCalls(ours, theirs, (our, their) => {
    if (ofKept[our] === -1 && ofNative[their] === -1) put(our, their);
  });
}

/** The places of calls by their keys. -1 for a key that occurs more than once. */
function callsOf(
  entries: readonly UpsertObject[],
  turns: readonly ConversationTurn[],
  withOwnKeys: boolean,
): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const { others } of turns) {
    for (const place of others) {
      const item = entries[place];
      if (item?.type !== 'tool_call') continue;
      const { key, isOfTurn } = callKey(item);
      if (withOwnKeys || !isOfTurn) calls.set(key, calls.has(key) ? -1 : place);
    }
  }
  return calls;
}

/** For the id of a call in the transcript, the id that it has in the journal. */
function parentPlaces(
  kept: readonly UpsertObject[],
  native: readonly UpsertObject[],
  ofNative: Int32Array,
): (parentItemId: string) => string {
  const ids = new Map<string, string>();
  if (native.some(({ parentItemId }) => parentItemId !== undefined)) {
    for (const [place, { itemId }] of native.entries()) {
      const same = kept[ofNative[place] ?? -1];
      if (same !== undefined) ids.set(itemId, same.itemId);
    }
  }
  return (parentItemId) => ids.get(parentItemId) ?? parentItemId;
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
  const hasSteps = (entries: readonly UpsertObject[], places: readonly number[]) =>
    places.some((place) => entries[place]?.parentItemId !== undefined);
  if (!hasSteps(kept, ours.others) && !hasSteps(native, theirs.others)) {
    return [{ left: ours.others, right: theirs.others }];
  }
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
    const [our, their] = [left[l] ?? -1, right[r] ?? -1];
    const [mine, other] = [kept[our], native[their]];
    if (mine === undefined || other === undefined) return 0;
    if (mine.type === 'tool_call' || other.type === 'tool_call') return ofNative[their] === our ? EQUAL : 0;
    const isSamePlace = () => mine.itemId.slice(ours.turnId.length) === other.itemId.slice(theirs.turnId.length);
    return likeness(mine, other, isSamePlace);
  };
  const isSame = (l: number, r: number) => weigh(l, r) === EQUAL;
  for (const [l, r] of alignInOrder({ left: left.length, right: right.length, weigh, isSame })) {
    const [our, their] = [left[l], right[r]];
    if (our !== undefined && their !== undefined) put(our, their);
  }
}

const EQUAL = 80;

function likeness(kept: TextItem, native: TextItem, isSamePlace: () => boolean): number {
  if (kept.type !== native.type || originOf(kept) !== originOf(native)) return 0;
  if (isAbandoned(kept) !== isAbandoned(native)) return 0;
  const byText = likenessOfTexts(kept, native);
  if (byText > 0 || kept.status !== 'complete' || native.status !== 'complete') return byText;
  // The same message in other words, such as links that were written out.
  return isSamePlace() ? 10 : 0;
}

const originOf = (item: TextItem): string | undefined => (item.type === 'message' ? item.origin : undefined);

function likenessOfTexts(kept: TextItem, native: TextItem): number {
  if (kept.content === native.content) return EQUAL;
  const [ours, theirs] = [kept.content.trimEnd(), native.content.trimEnd()];
  if (ours === theirs) return EQUAL;
  if (theirs.startsWith(ours)) return isCut(kept) ? 40 : ours === '' ? 0 : 30;
  return theirs !== '' && ours.startsWith(theirs) ? 20 : 0;
}
