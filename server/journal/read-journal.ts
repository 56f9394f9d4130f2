import type { SessionId } from '../../shared/ids.ts';
import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import { contentSize } from './content-size.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';
import { grow } from './growth.ts';
import { type HistoryPage, PAGE_LIMITS, type PageLimits, pageBefore } from './history-page.ts';
import type { KeptConversation, KeptSession } from './journal.ts';
import { fromKey, readItem, readText, readTurn, toKey } from './stored-form.ts';

/** Rows that are read at a time, newest first, until a page is full. */
const ROWS = 250;

/** Reads a journal. Rows that are not what they should be are left out and counted. */
export interface JournalReader {
  open(sessionId: SessionId, limits?: PageLimits): KeptSession | undefined;
  page(sessionId: SessionId, before: string, limits?: PageLimits): HistoryPage | undefined;
  read(sessionId: SessionId): KeptConversation;
  hasTurn(sessionId: SessionId, turnId: string): boolean;
  countItems(): number;
  /** Rows that were left out so far. */
  readonly unreadable: number;
}

interface Place {
  readonly position: SqlValue;
  readonly key: SqlValue;
}

const AT_END: Place = { position: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

export function createJournalReader(database: Database): JournalReader {
  let unreadable = 0;

  function sessionOf(sessionId: SessionId): SqlRow | undefined {
    return database.get('SELECT key, stamp FROM sessions WHERE id = ?', [sessionId]);
  }

  function toItem(sessionId: SessionId, row: SqlRow): UpsertObject | undefined {
    const item = readItem({ sessionId, itemId: fromKey(row.id), turnId: fromKey(row.turn_id) }, row.body);
    if (item === undefined) unreadable += 1;
    return item === undefined || row.open !== 1 ? item : grown(item, row.key ?? null);
  }

  function grown(item: UpsertObject, key: SqlValue): UpsertObject {
    const rows = database.all('SELECT at, emitted_at, text FROM growths WHERE item = ? ORDER BY key', [key]);
    return rows.reduce((before, { at, emitted_at, text }) => {
      const added = readText(text);
      if (added === undefined) unreadable += 1;
      return added === undefined
        ? before
        : grow(before, { at: Number(at), text: added, emittedAt: String(emitted_at) });
    }, item);
  }

  function toTurns(rows: readonly SqlRow[]): TurnSummary[] {
    return rows.flatMap(({ id, body }) => {
      const turn = readTurn(fromKey(id), body);
      if (turn === undefined) unreadable += 1;
      return turn ?? [];
    });
  }

  /** The newest rows up to a place, that one included, newest first. */
  function rowsUpTo(session: SqlValue, { position, key }: Place, count: number): SqlRow[] {
    return database.all(
      `SELECT items.key, items.id, turns.id AS turn_id, items.turn, position, open, items.body
       FROM items LEFT JOIN turns ON turns.key = items.turn
       WHERE items.session = ? AND (position, items.key) <= (?, ?)
       ORDER BY position DESC, items.key DESC LIMIT ?`,
      [session, position, key, count],
    );
  }

  /** A page and one entry more, which is enough for the rules of pages. */
  function readPage(
    sessionId: SessionId,
    session: SqlValue,
    before: string | undefined,
    from: Place,
    limits = PAGE_LIMITS,
  ): HistoryPage | undefined {
    const entries: UpsertObject[] = [];
    const turnKeys = new Set<SqlValue>();
    let place: Place | undefined = from;
    let content = 0;
    const isFull = () =>
      entries.length > limits.entries + 1 || (content > limits.content && entries.length > limits.minEntries + 1);
    while (place !== undefined && !isFull()) {
      const rows = rowsUpTo(session, place, ROWS);
      for (const row of rows) {
        const item = isFull() ? undefined : toItem(sessionId, row);
        if (item === undefined) continue;
        entries.push(item);
        turnKeys.add(row.turn ?? null);
        if (item.itemId !== before) content += contentSize(item);
      }
      const last = rows.at(-1);
      place = last === undefined || rows.length < ROWS ? undefined : placeBefore(last);
    }
    const turns = toTurns(turnRows(session, turnKeys));
    return pageBefore(entries.reverse(), turns, before, limits);
  }

  /** Those of the entries, and those that are on the newest page in any case. */
  function turnRows(session: SqlValue, keys: ReadonlySet<SqlValue>): SqlRow[] {
    return database.all(
      `SELECT key, id, body FROM turns WHERE body IS NOT NULL AND key IN (
         SELECT value FROM json_each(?)
         UNION SELECT key FROM turns WHERE session = ? AND (running = 1 OR shown = 0))
       ORDER BY key`,
      [JSON.stringify([...keys]), session],
    );
  }

  return {
    open(sessionId, limits) {
      const session = sessionOf(sessionId);
      if (session === undefined) return undefined;
      const key = session.key ?? null;
      const page = readPage(sessionId, key, undefined, AT_END, limits);
      if (page === undefined) return undefined;
      return {
        page,
        nextPosition: nextPosition(database, key),
        stamp: typeof session.stamp === 'string' ? session.stamp : undefined,
        hasUnfinished: hasUnfinished(database, key),
        hasCompleted: hasCompleted(database, key),
      };
    },
    page(sessionId, before, limits) {
      const session = sessionOf(sessionId)?.key;
      if (session === undefined) return undefined;
      const row = database.get('SELECT position, key FROM items WHERE session = ? AND id = ?', [
        session,
        toKey(before),
      ]);
      if (row === undefined) return undefined;
      return readPage(sessionId, session, before, { position: row.position ?? 0, key: row.key ?? 0 }, limits);
    },
    read(sessionId) {
      const session = sessionOf(sessionId)?.key;
      if (session === undefined) return { entries: [], turns: [] };
      const rows = rowsUpTo(session, AT_END, -1).reverse();
      const entries = rows.flatMap((row) => toItem(sessionId, row) ?? []);
      const turns = database.all('SELECT id, body FROM turns WHERE session = ? AND body IS NOT NULL ORDER BY key', [
        session,
      ]);
      return { entries, turns: toTurns(turns) };
    },
    hasTurn(sessionId, turnId) {
      const session = sessionOf(sessionId)?.key;
      if (session === undefined) return false;
      return database.get('SELECT 1 FROM turns WHERE session = ? AND id = ?', [session, toKey(turnId)]) !== undefined;
    },
    countItems: () => Number(database.get('SELECT count(*) AS items FROM items')?.items ?? 0),
    get unreadable() {
      return unreadable;
    },
  };
}

function placeBefore({ position, key }: SqlRow): Place {
  return { position: position ?? 0, key: Number(key) - 1 };
}

function nextPosition(database: Database, session: SqlValue): number {
  const row = database.get('SELECT max(position) AS last FROM items WHERE session = ?', [session]);
  return typeof row?.last === 'number' ? row.last + 1 : 0;
}

function hasUnfinished(database: Database, session: SqlValue): boolean {
  const item = database.get('SELECT 1 FROM items WHERE session = ? AND open = 1 LIMIT 1', [session]);
  const turn = () =>
    database.get('SELECT 1 FROM turns WHERE session = ? AND (running = 1 OR shown = 0) AND running = 1 LIMIT 1', [
      session,
    ]);
  return item !== undefined || turn() !== undefined;
}

function hasCompleted(database: Database, session: SqlValue): boolean {
  return database.get('SELECT 1 FROM turns WHERE session = ? AND completed = 1 LIMIT 1', [session]) !== undefined;
}
