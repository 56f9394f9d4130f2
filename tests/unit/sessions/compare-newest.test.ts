import { describe, expect, it } from 'vitest';
import { compareNewest } from '../../../server/sessions/compare-newest.ts';
import type { TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';
import { conversation } from '../../support/agents/scripted-history.ts';

const sessionId = 'claude-code:one';
const exchanges = Array.from({ length: 6 }, (_, index) => [`q${index + 1}`, `a${index + 1}`] as const);
const all = conversation(sessionId, ...exchanges);
const textOf = (item: UpsertObject) => (item.type === 'tool_call' ? '' : item.content);
const from = (question: string, items: readonly UpsertObject[] = all) =>
  items.slice(items.findIndex((item) => textOf(item) === question));
const upTo = (answer: string) => all.slice(0, all.findIndex((item) => textOf(item) === answer) + 1);

interface Sides {
  readonly shown: readonly UpsertObject[];
  readonly more?: boolean;
  readonly turns?: readonly TurnSummary[];
  readonly native: readonly UpsertObject[];
  readonly isWhole?: boolean;
}

const compare = ({ shown, more = false, turns = [], native, isWhole = false }: Sides) =>
  compareNewest({ entries: [...shown], turns: [...turns], more }, { history: native, isWhole, stamp: undefined });

const NOTHING = { changed: [], added: [], turns: [], hasForeign: false };

describe('the newest turns of a conversation', () => {
  it('follow/live tell nothing new where they were shown', () => {
    expect(compare({ shown: all, native: from('q5') })).toEqual(NOTHING);
    expect(compare({ shown: from('q3'), more: true, native: from('q5') })).toEqual(NOTHING);
    expect(compare({ shown: from('q5'), more: true, native: from('q3') })).toEqual(NOTHING);
    expect(compare({ shown: from('q5'), more: true, native: all, isWhole: true })).toEqual(NOTHING);
    expect(compare({ shown: [], native: [], isWhole: true })).toEqual(NOTHING);
  });

  it.each([
    { name: 'all of it was shown', shown: upTo('a4'), more: false, native: from('q3'), isWhole: false },
    { name: 'the page begins later', shown: from('q4', upTo('a4')), more: true, native: from('q3'), isWhole: false },
    { name: 'the page begins earlier', shown: from('q2', upTo('a4')), more: true, native: from('q4'), isWhole: false },
    { name: 'they are the whole', shown: upTo('a4'), more: false, native: all, isWhole: true },
  ])('follow/live tell what was added: $name', ({ name: _name, ...sides }) => {
    expect(compare(sides)).toEqual({ ...NOTHING, added: from('q5'), hasForeign: true });
  });

  it('follow/live tell what was added to a turn that was shown in part', () => {
    expect(compare({ shown: upTo('q6'), native: from('q5') })).toEqual({ ...NOTHING, added: from('a6') });
  });

  it('follow/branches mark what is left behind, and nothing that is older than they are', () => {
    const other = { ...from('q6')[0], itemId: 'other:user', turnId: 'other', content: 'other' } as UpsertObject;
    const compared = compare({ shown: all, native: [...upTo('a5').slice(-2), other] });
    expect(compared?.changed.map((item) => [textOf(item), item.inContext])).toEqual([
      ['q6', false],
      ['a6', false],
    ]);
    expect(compared?.added).toEqual([other]);
  });

  it('follow/live leave late items of older turns as they are', () => {
    const late = { ...all[1], itemId: 'past-1:9:0', content: 'late' } as UpsertObject;
    expect(compare({ shown: [...all, late], native: from('q5') })).toEqual(NOTHING);
  });

  it('follow/live are compared from an item on where the page begins in the middle of a turn', () => {
    const [user, answer] = from('q6');
    const more = { ...answer, itemId: 'past-6:1:0', content: 'more' } as UpsertObject;
    expect(
      compare({
        shown: [answer as UpsertObject],
        more: true,
        native: [user as UpsertObject, answer as UpsertObject, more],
      }),
    ).toEqual({
      ...NOTHING,
      added: [more],
    });
  });

  it.each([
    { name: 'nothing of them was shown', shown: upTo('a2'), more: false, native: from('q5'), isWhole: false },
    {
      name: 'the page is older than the whole',
      shown: from('q2', upTo('a3')),
      more: true,
      native: from('q5'),
      isWhole: true,
    },
    {
      name: 'something came between',
      shown: [...upTo('a4'), ...from('q6')],
      more: false,
      native: from('q3'),
      isWhole: false,
    },
    {
      name: 'only the page lacks something',
      shown: from('q3'),
      more: true,
      native: [...upTo('q1'), ...from('q4')],
      isWhole: false,
    },
  ])('follow/live do not tell enough: $name', ({ name: _name, ...sides }) => {
    expect(compare(sides)).toBeUndefined();
  });
});
