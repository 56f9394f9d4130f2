import type { AppendMessage, SessionEvent } from '../../shared/events.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import { contentSize } from '../journal/content-size.ts';

/** An event. If a text only grew, just the growth is kept, because whole texts would take quadratic space. */
export type LoggedEvent =
  | { readonly kind: 'whole'; readonly event: Exclude<SessionEvent, AppendMessage> }
  | {
      readonly kind: 'growth';
      readonly append: AppendMessage;
      readonly stamp: Pick<UpsertObject, 'emittedAt' | 'sourceTimestamp'>;
    };

export interface EventLogLimits {
  readonly events: number;
  /** Size of the content in UTF-16 code units. */
  readonly size: number;
}

const LIMITS: EventLogLimits = { events: 4096, size: 1024 * 1024 };

/** The most recent events of a session, for windows that reconnect. */
export interface EventLog {
  add(event: LoggedEvent): void;
  /** Returns the events after `seq`, or undefined if some are no longer available or `seq` is in the future. */
  since(seq: number): readonly LoggedEvent[] | undefined;
}

/** `last`: the number before the first event. Numbers are contiguous. */
export function createEventLog(last: number, limits = LIMITS): EventLog {
  let events: LoggedEvent[] = [];
  /** Events before this index were dropped. */
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
