import fc from 'fast-check';
import type { StreamEventEnvelope } from '../../../shared/stream-events.ts';
import {
  callDone,
  callOutput,
  callStart,
  delta,
  envelope,
  messageDone,
  messageStart,
  reasoningStart,
  responseDone,
  responseError,
  responseStart,
} from './envelopes.ts';

export type ItemEnding = 'done' | 'error' | 'cancelled' | 'open';
export type TurnEnding = 'completed' | 'cancelled' | 'error' | 'none';

export interface PlannedItem {
  readonly turnId: string;
  readonly itemId: string;
  readonly kind: 'message' | 'reasoning' | 'call';
  readonly deltas: readonly string[];
  readonly ending: ItemEnding;
}

export interface PlannedTurn {
  readonly turnId: string;
  readonly ending: TurnEnding;
  readonly items: readonly PlannedItem[];
}

/** Input of the processor: an event, an invalid event, or passing time. */
export type Step =
  | { readonly event: StreamEventEnvelope }
  | { readonly invalid: unknown }
  | { readonly passMs: number };

export interface Conversation {
  readonly turns: readonly PlannedTurn[];
  readonly steps: readonly Step[];
}

const FAILURE = { code: 'FAILED', message: 'It failed.' };

const text = fc.oneof(
  fc.stringMatching(/^[a-z]{0,6}$/),
  fc.stringMatching(/^( ?[a-z]{1,3} ?){0,30}$/),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

const itemPlan = fc.record({
  kind: fc.constantFrom('message' as const, 'reasoning' as const, 'call' as const),
  deltas: fc.array(text, { maxLength: 12 }),
  ending: fc.constantFrom<ItemEnding>('done', 'done', 'error', 'cancelled', 'open'),
});

const turnPlan = fc.record({
  ending: fc.constantFrom<TurnEnding>('completed', 'cancelled', 'error', 'none'),
  items: fc.array(itemPlan, { maxLength: 4 }),
});

type Defect = (event: StreamEventEnvelope) => unknown;

const defects: Defect[] = [
  ({ turnId: _, ...rest }) => rest,
  (event) => ({ ...event, eventId: '' }),
  (event) => ({ ...event, timestamp: 'yesterday' }),
  (event) => ({ ...event, type: event.type === 'item_delta' ? 'item_done' : 'item_delta' }),
  (event) => ({ ...event, payload: null }),
  (event) => ({ ...event, payload: { type: event.type } }),
  (event) => [event],
  (event) => JSON.stringify(event),
];

const disturbance = fc.oneof(
  { weight: 6, arbitrary: fc.constant<'none'>('none') },
  { weight: 1, arbitrary: fc.constantFrom(...defects) },
  { weight: 1, arbitrary: fc.constant<'repeat'>('repeat') },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 1500 }) },
);

/** Any number of turns and items with interleaved events, including invalid and repeated events and pauses. */
export const conversations: fc.Arbitrary<Conversation> = fc
  .record({
    plans: fc.array(turnPlan, { minLength: 1, maxLength: 3 }),
    picks: fc.infiniteStream(fc.nat()),
    disturbances: fc.infiniteStream(disturbance),
  })
  .map(({ plans, picks, disturbances }) => {
    const turns = plans.map(({ ending, items }, t) => ({
      turnId: `t${t}`,
      ending,
      items: items.map((item, i) => ({ ...item, turnId: `t${t}`, itemId: `t${t}:${i}` })),
    }));
    const pick = (bound: number) => Number(picks.next().value) % bound;
    const queues = turns.map((turn) => eventsOfTurn(turn, pick));
    const steps = merge(queues, pick).flatMap((event) => disturb(event, disturbances.next().value ?? 'none'));
    return { turns, steps };
  });

function eventsOfTurn(turn: PlannedTurn, pick: (bound: number) => number): StreamEventEnvelope[] {
  const { turnId } = turn;
  const endings = {
    completed: [responseDone(turnId)],
    cancelled: [responseDone(turnId, 'cancelled')],
    error: [responseError(FAILURE.code, FAILURE.message, turnId)],
    none: [],
  };
  return [responseStart(turnId), ...merge(turn.items.map(eventsOfItem), pick), ...endings[turn.ending]];
}

function eventsOfItem({ turnId, itemId, kind, deltas, ending }: PlannedItem): StreamEventEnvelope[] {
  const content = deltas.join('');
  const finalItem = { type: 'reasoning', content, providerId: 'echo' } as const;
  const starts = {
    message: messageStart(itemId, turnId),
    reasoning: reasoningStart(itemId, turnId),
    call: callStart(`call-${itemId}`, itemId, turnId),
  };
  const done = {
    message: [messageDone(content, itemId, turnId)],
    reasoning: [envelope({ type: 'item_done', itemId, finalItem }, { turnId })],
    call: [
      callDone(`call-${itemId}`, itemId, { content }, turnId),
      callOutput(`call-${itemId}`, content, `${itemId}-output`, turnId),
    ],
  };
  const endings = {
    done: done[kind],
    error: [envelope({ type: 'item_error', itemId, error: FAILURE }, { turnId })],
    cancelled: [envelope({ type: 'item_cancelled', itemId }, { turnId })],
    open: [],
  };
  return [starts[kind], ...deltas.map((piece) => delta(piece, itemId, turnId)), ...endings[ending]];
}

/** Interleaves several lists and keeps the order within each. */
function merge<T>(lists: readonly (readonly T[])[], pick: (bound: number) => number): T[] {
  const queues = lists.map((list) => [...list]);
  const merged: T[] = [];
  for (;;) {
    const waiting = queues.filter((queue) => queue.length > 0);
    const next = waiting[waiting.length === 0 ? 0 : pick(waiting.length)]?.shift();
    if (next === undefined) return merged;
    merged.push(next);
  }
}

function disturb(event: StreamEventEnvelope, by: 'none' | 'repeat' | Defect | number): Step[] {
  if (typeof by === 'number') return [{ event }, { passMs: by }];
  if (typeof by === 'function') return [{ invalid: by(event) }, { event }];
  // A repeated delta repeats its text; all other events may be repeated without effect.
  if (by === 'repeat' && event.type !== 'item_delta') return [{ event }, { event }];
  return [{ event }];
}
