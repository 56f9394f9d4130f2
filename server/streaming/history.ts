import type { SessionId } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { Clock } from '../clock.ts';
import { createTimeSlices } from '../time-slice.ts';
import type { TimedAction } from './stream-actions.ts';
import { type Batching, createStreamCore } from './stream-core.ts';

export interface HistoryOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly now: () => string;
}

const ONLY_AT_THE_END: Batching = { batchGradientTokens: [], batchTimeoutMs: 0 };

/** For background work whose end is not part of the history. */
const UNFINISHED = { code: 'STOPPED', message: 'It did not finish before the agent was ended.' } as const;

/** Collects a past conversation action by action. */
export interface HistoryCollector {
  add(action: TimedAction): void;
  /** Call once, at the end. */
  items(): UpsertObject[];
}

/**
 * Runs a past conversation through the same core as a live one. Returns the last state of each item, in order of first
 * appearance, all of them ended. Calls without a result end as `error`, unless their turn completed.
 */
export function collectHistory(actions: Iterable<TimedAction>, options: HistoryOptions): UpsertObject[] {
  const collector = createHistoryCollector(options);
  for (const action of actions) collector.add(action);
  return collector.items();
}

/** The same for a conversation that may be very long: the server goes on with everything else in between. */
export async function collectInTurns(actions: Iterable<TimedAction>, options: HistoryOptions): Promise<UpsertObject[]> {
  const collector = createHistoryCollector(options);
  const takeTurns = createTimeSlices();
  for (const action of actions) {
    collector.add(action);
    const others = takeTurns();
    if (others !== undefined) await others;
  }
  return collector.items();
}

export function createHistoryCollector({ sessionId, providerId, now }: HistoryOptions): HistoryCollector {
  const items = new Map<string, UpsertObject | undefined>();
  const core = createStreamCore({
    sessionId,
    providerId,
    clock: withoutTimers(now),
    batching: ONLY_AT_THE_END,
    emitArgumentUpdates: false,
    onUpsert: (upsert) => items.set(upsert.itemId, upsert),
    onTurn: () => {},
  });
  let latest: string | undefined;

  return {
    add({ action, sourceTimestamp }) {
      if ('itemId' in action && action.itemId !== undefined && !items.has(action.itemId))
        items.set(action.itemId, undefined);
      core.apply(action, sourceTimestamp);
      latest = sourceTimestamp;
    },
    items() {
      for (const turnId of core.openTurns()) core.apply({ do: 'turn_done', turnId, status: 'cancelled' }, latest);
      core.breakBackground(UNFINISHED);
      return [...items.values()].filter((upsert) => upsert !== undefined).map(asEnded);
    },
  };
}

/** Ends an item that was cut short by the end of its turn: in a history, nothing more will come. */
export function asEnded(upsert: UpsertObject): UpsertObject {
  return upsert.status === 'create' || upsert.status === 'update' ? { ...upsert, status: 'complete' } : upsert;
}

function withoutTimers(now: () => string): Clock {
  return { now, monotonic: () => 0, setTimeout: () => undefined, clearTimeout: () => {} };
}
