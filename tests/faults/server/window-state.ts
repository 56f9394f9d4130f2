import type { AppendMessage } from '../../../shared/events.ts';
import { isUserItemId, type TurnEvent, type UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Frame } from '../../support/server/socket-client.ts';

/** The state of a session in a window, as in the page: items by id in order of arrival, turns by id. */
export interface SessionPicture {
  items: Map<string, UpsertObject>;
  readonly running: Set<string>;
  /** There are older items that the window does not have yet. */
  hasMore: boolean;
}

export function picture(
  entries: readonly UpsertObject[],
  running: Iterable<string>,
  hasMore: boolean | undefined,
): SessionPicture {
  return {
    items: new Map(entries.map((entry) => [entry.itemId, entry])),
    running: new Set(running),
    hasMore: hasMore ?? false,
  };
}

/** The same items in the same order and state, and the same running turns. */
export function isSame(one: SessionPicture | undefined, other: SessionPicture | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const flat = ({ items, running }: SessionPicture) =>
    [...[...items.values()].map(comparable), '', ...running].join('\n');
  return flat(one) === flat(other);
}

/** Items do not change, they are replaced; most of them are compared many times. */
const comparables = new WeakMap<UpsertObject, string>();

function comparable(upsert: UpsertObject): string {
  const text = comparables.get(upsert) ?? makeComparable(upsert);
  comparables.set(upsert, text);
  return text;
}

/** A text that grows is not told again when it was emitted, only when it ends. */
function makeComparable(upsert: UpsertObject): string {
  const isOpen = upsert.status === 'create' || upsert.status === 'update';
  const { emittedAt: _, sourceTimestamp: __, ...rest } = upsert;
  const value: Record<string, unknown> = isOpen ? { ...rest, status: 'open' } : upsert;
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort()));
}

export interface WindowStateOptions {
  /** Notes what must never happen. */
  readonly faults: string[];
  readonly onEvent: () => void;
  /** Asks for the page before an item. */
  readonly loadOlder: (sessionId: string, before: string) => void;
}

/** A window's state, built from nothing but what it was sent. */
export function createWindowState({ faults, onEvent, loadOlder }: WindowStateOptions) {
  const sessions = new Map<string, SessionPicture>();
  const lastSeqs = new Map<string, number>();

  function takeTurn(session: SessionPicture, event: TurnEvent): void {
    if (event.type === 'turn_receipt') return;
    if (event.type === 'turn_started') session.running.add(event.turnId);
    else if (!session.running.delete(event.turnId)) faults.push(`turn ${event.turnId} ended twice`);
  }

  function takeUpsert(session: SessionPicture, upsert: UpsertObject): void {
    const known = session.items.get(upsert.itemId);
    if (JSON.stringify(known) === JSON.stringify(upsert)) faults.push(`${upsert.itemId} came twice in the same state`);
    session.items.set(upsert.itemId, upsert);
    if (isUserItemId(upsert.itemId)) session.running.add(upsert.turnId);
  }

  function takeAppend(session: SessionPicture, { itemId, at, text, end }: AppendMessage): void {
    const known = session.items.get(itemId);
    if (known === undefined && session.hasMore) return;
    if (known === undefined || known.type === 'tool_call' || known.content.length !== at) {
      faults.push(`text at ${at} does not continue ${itemId}`);
      return;
    }
    session.items.set(itemId, { ...known, status: 'update', ...end, content: known.content + text });
  }

  function takeHistory(sessionId: string, { entries = [], turns = [], more, asOf = Number.NaN }: Frame): void {
    const running = turns.filter(({ status }) => status === 'running').map(({ turnId }) => turnId);
    sessions.set(sessionId, picture(entries, running, more));
    lastSeqs.set(sessionId, asOf);
    askForOlder(sessionId);
  }

  function takePage(sessionId: string, { entries = [], more }: Frame): void {
    const session = sessions.get(sessionId);
    if (session === undefined) return;
    const older = new Map(entries.map((entry) => [entry.itemId, session.items.get(entry.itemId) ?? entry]));
    if (entries.some(({ itemId }) => session.items.has(itemId))) faults.push(`a page of ${sessionId} came twice`);
    session.items = new Map([...older, ...session.items]);
    session.hasMore = more === true;
    askForOlder(sessionId);
  }

  function askForOlder(sessionId: string): void {
    const session = sessions.get(sessionId);
    const [first] = session?.items.keys() ?? [];
    if (session?.hasMore && first !== undefined) loadOlder(sessionId, first);
  }

  function takeEvent(frame: Frame): void {
    const { type, sessionId = '', seq = Number.NaN, payload } = frame;
    const session = sessions.get(sessionId);
    if (session === undefined) {
      faults.push(`${type} of ${sessionId} came before its snapshot`);
      return;
    }
    const last = lastSeqs.get(sessionId) ?? Number.NaN;
    if (seq !== last + 1) faults.push(`${sessionId} had ${last}, then came ${seq}`);
    lastSeqs.set(sessionId, seq);
    onEvent();
    if (payload === undefined) takeAppend(session, frame as unknown as AppendMessage);
    else if ('itemId' in payload) takeUpsert(session, payload);
    else takeTurn(session, payload);
  }

  return {
    sessions,
    lastSeq: (sessionId: string) => lastSeqs.get(sessionId),
    askForOlder,
    take(frame: Frame): void {
      const { type, sessionId = '', seq } = frame;
      if (type === 'session:history') takeHistory(sessionId, frame);
      else if (type === 'session:items') takePage(sessionId, frame);
      else if (seq !== undefined) takeEvent(frame);
    },
  };
}
