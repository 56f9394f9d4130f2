import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Frame } from '../../support/server/socket-client.ts';

/** What a window knows of one session, kept as a page keeps it: items by id in the order they came, turns by id. */
export interface SessionPicture {
  readonly items: Map<string, string>;
  readonly running: Set<string>;
}

export function picture(entries: readonly UpsertObject[], running: Iterable<string>): SessionPicture {
  return {
    items: new Map(entries.map((entry) => [entry.itemId, JSON.stringify(entry)])),
    running: new Set(running),
  };
}

/** The same items in the same order and state, and the same turns under way. */
export function isSame(one: SessionPicture | undefined, other: SessionPicture | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const flat = ({ items, running }: SessionPicture) => [...items.values(), '', ...running].join('\n');
  return flat(one) === flat(other);
}

/** A window's state, built from nothing but what it was sent. Notes in `faults` what must never happen. */
export function createWindowState(faults: string[], onUpsert: () => void) {
  const sessions = new Map<string, SessionPicture>();

  function takeTurn(session: SessionPicture, event: TurnEvent): void {
    if (event.type === 'turn_started') session.running.add(event.turnId);
    else if (!session.running.delete(event.turnId)) faults.push(`turn ${event.turnId} ended twice`);
  }

  function takeUpsert(session: SessionPicture, upsert: UpsertObject): void {
    onUpsert();
    const text = JSON.stringify(upsert);
    if (session.items.get(upsert.itemId) === text) faults.push(`${upsert.itemId} came twice in the same state`);
    session.items.set(upsert.itemId, text);
    if (upsert.itemId.endsWith(':user')) session.running.add(upsert.turnId);
  }

  return {
    sessions,
    take({ type, sessionId = '', payload, entries, turns }: Frame): void {
      if (type === 'session:history') {
        const running = (turns ?? []).filter(({ status }) => status === 'running').map(({ turnId }) => turnId);
        sessions.set(sessionId, picture(entries ?? [], running));
        return;
      }
      if (payload === undefined) return;
      const session = sessions.get(sessionId);
      if (session === undefined) faults.push(`${type} of ${sessionId} came before its snapshot`);
      else if ('itemId' in payload) takeUpsert(session, payload);
      else takeTurn(session, payload);
    },
  };
}
