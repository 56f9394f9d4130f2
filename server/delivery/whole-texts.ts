import type { EventMessage } from '../../shared/events.ts';
import type { Clock } from '../clock.ts';
import type { Frame } from './frame.ts';

/** Texts up to this length are sent each time they grow. */
const SHORT_TEXT = 32 * 1024;
/** How much of longer texts is sent, in UTF-16 code units per millisecond. */
const RATE = 4 * 1024;

export interface Sendable {
  readonly message: EventMessage;
  readonly frame: () => Frame;
}

/**
 * The events of a session for windows that take no appends. A text that grows is sent whole each time, which would take
 * quadratic time for a long one. So a long text waits until its length has been paid for at a fixed rate; of several
 * states that wait, only the newest is sent. Whatever comes meanwhile waits behind it, so that the order stays.
 */
export interface WholeTexts {
  /** `isGrowth`: the upsert only adds text to an item that goes on. */
  add(event: Sendable, isGrowth: boolean): void;
  /** Drops what waits. */
  clear(): void;
}

export function createWholeTexts(clock: Clock, send: (event: Sendable) => void): WholeTexts {
  const waiting = new Map<unknown, Sendable>();
  let paidAt = 0;
  let timer: unknown;

  function deliver(event: Sendable): void {
    const length = textLength(event.message);
    if (length > SHORT_TEXT) paidAt = Math.max(paidAt, clock.monotonic()) + length / RATE;
    send(event);
  }

  function clear(): void {
    if (timer !== undefined) clock.clearTimeout(timer);
    timer = undefined;
    waiting.clear();
  }

  function flush(): void {
    const due = [...waiting.values()];
    clear();
    for (const event of due) deliver(event);
  }

  function hold(event: Sendable, isGrowth: boolean): void {
    const { message } = event;
    const itemId = isUpsert(message) ? message.payload.itemId : undefined;
    // Only growth is filed under the id of its item, so only growth is replaced.
    waiting.delete(itemId);
    waiting.set(isGrowth ? itemId : event, event);
    timer ??= clock.setTimeout(flush, Math.max(0, Math.ceil(paidAt - clock.monotonic())));
  }

  return {
    add(event, isGrowth) {
      const { message } = event;
      const mustWait = isGrowth && textLength(message) > SHORT_TEXT && clock.monotonic() < paidAt;
      if (!mustWait && waiting.size === 0) {
        deliver(event);
        return;
      }
      hold(event, isGrowth);
      // Everybody waits for the end of a turn, and there are few.
      if (message.type === 'session:turn') flush();
    },
    clear,
  };
}

type UpsertMessage = Extract<EventMessage, { type: 'session:upsert' }>;

function isUpsert(message: EventMessage): message is UpsertMessage {
  return message.type === 'session:upsert';
}

function textLength(message: EventMessage): number {
  return isUpsert(message) && message.payload.type !== 'tool_call' ? message.payload.content.length : 0;
}
