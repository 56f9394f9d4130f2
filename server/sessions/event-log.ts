import type { AppendMessage, SessionEvent } from '../../shared/events.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import { contentSize } from './content-size.ts';

/** An event as it happened. Where a text only grew, the growth alone: whole texts would add up to their square. */
export type LoggedEvent =
  | { readonly kind: 'whole'; readonly event: Exclude<SessionEvent, AppendMessage> }
  | {
      readonly kind: 'growth';
      readonly append: AppendMessage;
      readonly stamp: Pick<UpsertObject, 'emittedAt' | 'sourceTimestamp'>;
    };

export interface EventLogLimits {
  readonly events: number;
  /** Of content, in UTF-16 code units. */
  readonly size: number;
}

const LIMITS: EventLogLimits = { events: 4096, size: 1024 * 1024 };

/** The latest events of a session in memory, for windows that were away for a moment. */
export interface EventLog {
  add(event: LoggedEvent): void;
  /** The events after `seq`; undefined where some of them are gone, or where `seq` was never reached. */
  since(seq: number): readonly LoggedEvent[] | undefined;
}

/** `last`: the number of the event before the first one that will be added. Numbers are contiguous. */
export function createEventLog(last: number, limits = LIMITS): EventLog {
  let events: LoggedEvent[] = [];
  /** Events before this index are no longer kept. */
  let dropped = 0;
  let size = 0;
  let newest = last;

  function dropOldest(): void {
    const oldest = events[dropped];
    if (oldest !== undefined) size -= sizeOf(oldest);
    dropped += 1;
    if (dropped < limits.events) return;
    events = events.slice(dropped);
    dropped = 0;
  }

  return {
    add(event) {
      events.push(event);
      size += sizeOf(event);
      newest += 1;
      while (events.length - dropped > limits.events || (size > limits.size && events.length > dropped)) dropOldest();
    },
    since(seq) {
      const missed = newest - seq;
      if (missed < 0 || missed > events.length - dropped) return undefined;
      return events.slice(events.length - missed);
    },
  };
}

function sizeOf(logged: LoggedEvent): number {
  if (logged.kind === 'growth') return logged.append.text.length;
  return logged.event.type === 'session:upsert' ? contentSize(logged.event.payload) : 0;
}
