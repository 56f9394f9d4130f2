import { createDeferred } from '../deferred.ts';
import { ProviderError } from './provider-errors.ts';

/** A message that the agent has not taken yet. */
export interface OutgoingMessage {
  readonly turnId: string;
  readonly content: string;
  /** Resolves when the agent has the message, rejects if it never will. */
  readonly taken: Promise<void>;
}

/**
 * Messages on their way to the agent, in order: waiting for a link, then sent, then taken. A refused message leaves no
 * trace in the conversation.
 */
export interface Outgoing {
  add(turnId: string, content: string): OutgoingMessage;
  /** Returns the waiting messages and marks them as sent. */
  takeWaiting(): readonly OutgoingMessage[];
  hasWaiting(): boolean;
  /** Messages that were sent and not taken. */
  sent(): readonly OutgoingMessage[];
  /** Marks a message as taken. Returns undefined for an unknown message. */
  take(turnId: string): OutgoingMessage | undefined;
  refuseWaiting(error: ProviderError): void;
  refuseAll(error: ProviderError): void;
  isEmpty(): boolean;
}

interface Entry extends OutgoingMessage {
  isSent: boolean;
  resolve(): void;
  reject(error: ProviderError): void;
}

export function createOutgoing(): Outgoing {
  const entries = new Map<string, Entry>();

  function refuse(error: ProviderError, isRefused: (entry: Entry) => boolean): void {
    for (const entry of [...entries.values()].filter(isRefused)) {
      entries.delete(entry.turnId);
      entry.reject(error);
    }
  }

  return {
    add(turnId, content) {
      if (entries.has(turnId)) throw new ProviderError('PROTOCOL_ERROR', `The turn id ${turnId} is in use.`);
      const { promise, resolve, reject } = createDeferred();
      const entry: Entry = { turnId, content, taken: promise, isSent: false, resolve, reject };
      entries.set(turnId, entry);
      return entry;
    },
    takeWaiting() {
      const waiting = [...entries.values()].filter(({ isSent }) => !isSent);
      for (const entry of waiting) entry.isSent = true;
      return waiting;
    },
    hasWaiting: () => [...entries.values()].some(({ isSent }) => !isSent),
    sent: () => [...entries.values()].filter(({ isSent }) => isSent),
    take(turnId) {
      const entry = entries.get(turnId);
      if (entry === undefined) return undefined;
      entries.delete(turnId);
      entry.resolve();
      return entry;
    },
    refuseWaiting: (error) => refuse(error, ({ isSent }) => !isSent),
    refuseAll: (error) => refuse(error, () => true),
    isEmpty: () => entries.size === 0,
  };
}
