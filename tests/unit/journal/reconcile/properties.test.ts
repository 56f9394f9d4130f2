import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KeptConversation } from '../../../../server/journal/journal.ts';
import { reconcile } from '../../../../server/journal/reconcile/reconcile.ts';
import { settle } from '../../../../server/journal/reconcile/settle.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { costGrowth } from '../../../support/cost-growth.ts';
import { at, call, conversation, note, retried, say, textOf, think, turn } from './conversation.ts';

/** What one message led to, seen from both sides. */
interface Round {
  /** `here`: both have it; `lost`: the agent never got it; `terminal`: another writer. */
  readonly from: 'here' | 'lost' | 'terminal';
  readonly text: string;
  readonly parts: readonly { readonly kind: 'say' | 'think' | 'call'; readonly text: string }[];
  /** How many of the parts were shown before the server was killed; the next one was shown in part. */
  readonly shownParts: number;
  readonly isRetried: boolean;
}

const part = fc.record({
  kind: fc.constantFrom('say' as const, 'think' as const, 'call' as const),
  text: fc.constantFrom('yes', 'no', 'once more'),
});

const round: fc.Arbitrary<Round> = fc.record({
  from: fc.constantFrom('here' as const, 'here' as const, 'lost' as const, 'terminal' as const),
  text: fc.constantFrom('go', 'again', 'stop'),
  parts: fc.array(part, { maxLength: 4 }),
  shownParts: fc.oneof(fc.constant(9), fc.nat(4)),
  isRetried: fc.boolean(),
});

const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function partsOf({ parts }: Round, index: number) {
  return parts.map(({ kind, text }, place) => {
    if (kind === 'call') return call(`call-${index}-${place}`, text);
    return kind === 'say' ? say(text) : think(text);
  });
}

function keptTurn(each: Round, index: number): UpsertObject[] {
  const all = each.from === 'lost' ? [] : partsOf(each, index);
  const cut = all.slice(each.shownParts, each.shownParts + 1).map((whole) => ({
    ...whole,
    status: 'update' as const,
    ...('content' in whole && { content: whole.content.slice(0, 2) }),
    ...('toolOutput' in whole && { toolOutput: undefined }),
  }));
  const before = each.isRetried ? [say('ye', retried), note('Trying again.')] : [];
  return turn(uuid(index), each.text, [...before, ...all.slice(0, each.shownParts), ...cut], at(index * 1_000));
}

function views(rounds: readonly Round[], isCounted: boolean): { kept: KeptConversation; native: UpsertObject[] } {
  let count = 0;
  const native = rounds.flatMap((each, index) => {
    if (each.from === 'lost') return [];
    count += 1;
    return turn(isCounted ? `native:t${count}` : uuid(index), each.text, partsOf(each, index), at(index * 1_000 + 40));
  });
  const entries = rounds.flatMap((each, index) => (each.from === 'terminal' ? [] : keptTurn(each, index)));
  return { kept: settle(conversation(entries), at(0)), native };
}

const ids = (entries: readonly UpsertObject[]) => entries.map(({ itemId }) => itemId);

const isNotice = (item: UpsertObject) => item.type === 'message' && item.origin === 'system';

/** What the page says that the model has. */
const inContext = ({ entries }: KeptConversation) =>
  entries.filter((item) => item.inContext !== false && !isNotice(item)).map(textOf);

function expectMerged(merged: KeptConversation, kept: KeptConversation, native: readonly UpsertObject[]): void {
  expect(new Set(ids(merged.entries)).size).toBe(merged.entries.length);
  const shownBefore = new Set(ids(kept.entries));
  expect(ids(merged.entries).filter((id) => shownBefore.has(id))).toEqual(ids(kept.entries));
  expect(inContext(merged)).toEqual(native.map(textOf));
  expect(reconcile(merged, native)).toEqual(merged);
}

const runs = { numRuns: 400 };

it('keep/reconcile shows as context exactly what the transcript has, in its order, and loses nothing that was shown', () => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 8 }), fc.boolean(), (rounds, isCounted) => {
      const { kept, native } = views(rounds, isCounted);
      expectMerged(reconcile(kept, native), kept, native);
    }),
    runs,
  );
});

it('keep/reconcile grows with the transcript', () => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 8 }), fc.boolean(), fc.nat(30), (rounds, isCounted, length) => {
      const { kept, native } = views(rounds, isCounted);
      const early = native.slice(0, length);
      const before = reconcile(kept, early);
      expectMerged(before, kept, early);
      expectMerged(reconcile(before, native), before, native);
    }),
    runs,
  );
});

it('keep/reconcile grows with the journal', () => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 8 }), fc.boolean(), fc.nat(8), (rounds, isCounted, length) => {
      const early = views(rounds.slice(0, length), isCounted);
      const { kept, native } = views(rounds, isCounted);
      const before = reconcile(early.kept, early.native);
      const known = new Set(ids(before.entries));
      const later = kept.entries.filter(({ turnId }) => !early.kept.entries.some((item) => item.turnId === turnId));
      const grown = {
        entries: [...before.entries, ...later.filter(({ itemId }) => !known.has(itemId))],
        turns: kept.turns,
      };
      expectMerged(reconcile(grown, native), grown, native);
    }),
    runs,
  );
});

it('keep/reconcile gives unique ids and the same again for conversations that have nothing to do with each other', () => {
  const entries = (isCounted: boolean) =>
    fc
      .array(round, { maxLength: 6 })
      .map((rounds) =>
        rounds.flatMap((each, index) =>
          isCounted
            ? turn(`native:t${index + 1}`, each.text, partsOf(each, 100 + index))
            : keptTurn({ ...each, from: 'here' }, index),
        ),
      );
  fc.assert(
    fc.property(entries(false), entries(true), (ours, theirs) => {
      const kept = conversation(ours);
      const merged = reconcile(kept, theirs);
      expect(new Set(ids(merged.entries)).size).toBe(merged.entries.length);
      expect(ids(merged.entries)).toEqual(expect.arrayContaining(ids(ours)));
      expect(reconcile(merged, theirs)).toEqual(merged);
    }),
    runs,
  );
});

/** Rounds of four items with all that can happen, some of them the same again and again. */
const manyRounds = (count: number) =>
  Array.from({ length: count }, (_, index): Round => {
    const isRepeated = index % 3 === 0;
    return {
      from: index % 97 === 5 ? 'lost' : index % 89 === 7 ? 'terminal' : 'here',
      text: isRepeated ? 'again' : `message ${index}`,
      parts: [
        { kind: 'think', text: `hm ${index % 5}` },
        { kind: 'call', text: 'out' },
        { kind: 'say', text: isRepeated ? 'once more' : `answer ${index}` },
      ],
      shownParts: index % 101 === 9 ? 1 : 9,
      isRetried: index % 50 === 0,
    };
  });

it.each([
  ['ids', false],
  ['counted turns', true],
])('keep/reconcile takes time in proportion to the length, for a transcript with %s', (_name, isCounted) => {
  const sizes = new Map([500, 4_000].map((size) => [size, views(manyRounds(size), isCounted)]));
  const growth = costGrowth(500, (size) => {
    const { kept, native } = sizes.get(size) ?? views([], isCounted);
    reconcile(kept, native);
  });
  expect(growth).toBeLessThan(4);
  const { kept, native } = views(manyRounds(4_000), isCounted);
  expect(inContext(reconcile(kept, native))).toEqual(native.map(textOf));
});
