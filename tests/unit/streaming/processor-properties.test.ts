import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createUpsertStreamProcessor, type InvalidEvent } from '../../../server/streaming/upsert-stream-processor.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createOutputLog } from '../../support/output-log.ts';
import { type Conversation, conversations, type PlannedItem, type PlannedTurn } from './conversations.ts';
import { SESSION } from './envelopes.ts';

/** Each property runs many times. */
vi.setConfig({ testTimeout: 30_000 });

function play({ steps }: Conversation) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const log = createOutputLog();
  const invalid: InvalidEvent[] = [];
  const processor = createUpsertStreamProcessor({
    sessionId: SESSION,
    clock,
    onUpsert: log.onUpsert,
    onTurn: log.onTurn,
    onInvalid: (event) => invalid.push(event),
  });
  for (const step of steps) {
    if ('passMs' in step) clock.advance(step.passMs);
    else processor.process('event' in step ? step.event : step.invalid);
  }
  processor.destroy();
  return { clock, log, invalid };
}

/** Items without an end: dropped, or cut off by a cancelled turn. */
const endsSilently = (item: PlannedItem, turn: PlannedTurn) =>
  item.ending === 'cancelled' || (item.ending === 'open' && turn.ending === 'cancelled' && item.kind !== 'call');

/** A message that was started but got neither text nor an end, so that there was nothing to show. */
const neverShows = (item: PlannedItem) => item.ending === 'open' && item.kind !== 'call' && item.deltas.join('') === '';

const textOf = (upsert: UpsertObject | undefined) =>
  upsert === undefined || upsert.type === 'tool_call' ? undefined : upsert.content;

const forEachItem = (
  conversation: Conversation,
  check: (item: PlannedItem, turn: PlannedTurn, upserts: UpsertObject[]) => void,
) => {
  const { log } = play(conversation);
  for (const turn of conversation.turns) {
    for (const item of turn.items) check(item, turn, log.upserts(item.itemId));
  }
};

const holds = (check: (conversation: Conversation) => void) =>
  fc.assert(fc.property(conversations, check), { numRuns: 100 });

describe('for any interleaving of events', () => {
  it('the last upsert of an item contains all its deltas', () => {
    holds((conversation) =>
      forEachItem(conversation, (item, _turn, upserts) => {
        if (item.kind === 'call' || item.ending === 'cancelled') return;
        expect(textOf(upserts.at(-1)) ?? '').toBe(item.deltas.join(''));
      }),
    );
  });

  it('each upsert of an item continues the previous one', () => {
    holds((conversation) =>
      forEachItem(conversation, (_item, _turn, upserts) => {
        for (const [i, upsert] of upserts.entries()) {
          if (i > 0) expect((textOf(upsert) ?? '').startsWith(textOf(upserts[i - 1]) ?? '')).toBe(true);
        }
      }),
    );
  });

  it('every item begins once and ends once, and nothing follows its end', () => {
    holds((conversation) =>
      forEachItem(conversation, (item, turn, upserts) => {
        const statuses = upserts.map((upsert) => upsert.status);
        const ends = statuses.filter((status) => status === 'complete' || status === 'error');
        expect(ends).toHaveLength(endsSilently(item, turn) || neverShows(item) ? 0 : 1);
        if (ends.length === 1) expect(statuses.at(-1)).toBe(ends[0]);
        expect(statuses.lastIndexOf('create')).toBeLessThanOrEqual(0);
        expect(statuses.indexOf('update')).not.toBe(0);
      }),
    );
  });

  it('an item ends as complete only if it was finished or its turn was', () => {
    holds((conversation) =>
      forEachItem(conversation, (item, turn, upserts) => {
        if (upserts.at(-1)?.status !== 'complete') return;
        expect(item.ending === 'done' || (item.ending === 'open' && turn.ending === 'completed')).toBe(true);
      }),
    );
  });

  it('a tool call is created and ended, with nothing in between', () => {
    holds((conversation) =>
      forEachItem(conversation, (item, _turn, upserts) => {
        if (item.kind !== 'call') return;
        expect(upserts.map((upsert) => upsert.status)[0]).toBe('create');
        expect(upserts.length).toBe(item.ending === 'cancelled' ? 1 : 2);
        if (item.ending === 'done') expect(upserts[1]).toMatchObject({ toolOutput: item.deltas.join('') });
      }),
    );
  });

  it('every turn starts once, before its items, and ends once, after them', () => {
    holds((conversation) => {
      const { log } = play(conversation);
      for (const { turnId, ending } of conversation.turns) {
        const ofTurn = log.all.filter((output) => output.turnId === turnId);
        const [started, ended, ...more] = log.turns(turnId);
        expect(more).toEqual([]);
        expect([started, ended]).toEqual([ofTurn[0], ofTurn.at(-1)]);
        expect(started?.type).toBe('turn_started');
        expect(ended).toMatchObject(
          ending === 'completed' || ending === 'cancelled'
            ? { type: 'turn_complete', status: ending }
            : { type: 'turn_error' },
        );
      }
    });
  });

  it('an invalid event is ignored and reported', () => {
    holds((conversation) => {
      const { turns, steps } = conversation;
      const disturbed = play(conversation);
      const clean = play({ turns, steps: steps.filter((step) => !('invalid' in step)) });
      expect(disturbed.log.all).toEqual(clean.log.all);
      expect(disturbed.invalid).toHaveLength(steps.filter((step) => 'invalid' in step).length);
      expect(clean.invalid).toEqual([]);
    });
  });

  it('no timer is left', () => {
    holds((conversation) => {
      expect(play(conversation).clock.pending).toBe(0);
    });
  });
});
