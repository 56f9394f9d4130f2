import type { SessionId } from '../../shared/ids.ts';
import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import type { Database } from './database.ts';
import type { Growth } from './growth.ts';
import type { JournalChange } from './journal.ts';
import type { SessionBatch } from './pending-changes.ts';
import { itemBody, textBytes, toKey, turnBody } from './stored-form.ts';

/** Writes batches inside a transaction of the caller. Writing a batch twice changes nothing. */
export function writeBatches(database: Database, batches: readonly SessionBatch[]): void {
  for (const batch of batches) writeBatch(database, batch);
}

function writeBatch(database: Database, { sessionId, reset, changes }: SessionBatch): void {
  if (reset !== undefined) clear(database, sessionId);
  if (reset?.kind === 'replace') {
    const session = sessionKey(database, sessionId);
    const { conversation, stamp } = reset;
    database.run('UPDATE sessions SET stamp = ? WHERE key = ?', [stamp ?? null, session]);
    for (const turn of conversation.turns) writeTurn(database, session, turn, 0);
    for (const [position, upsert] of conversation.entries.entries()) writeItem(database, session, upsert, position, 0);
  }
  if (changes.length === 0) return;
  const session = sessionKey(database, sessionId);
  for (const change of changes) writeChange(database, session, change);
}

function writeChange(database: Database, session: number, change: JournalChange): void {
  switch (change.kind) {
    case 'item':
      writeItem(database, session, change.upsert, change.position, change.seq);
      return;
    case 'growth':
      writeGrowth(database, session, change);
      return;
    case 'turn':
      writeTurn(database, session, change.turn, change.seq);
      return;
    case 'forget-turn':
      forgetTurn(database, session, change.turnId);
  }
}

function writeItem(
  database: Database,
  session: number,
  upsert: UpsertObject,
  position: number | undefined,
  seq: number,
): void {
  const turn = turnKey(database, session, upsert.turnId);
  const open = upsert.status === 'create' || upsert.status === 'update' ? 1 : 0;
  const row = database.get(
    `INSERT INTO items (session, turn, id, position, seq, open, body)
     VALUES (?1, ?2, ?3, coalesce(?4, (SELECT coalesce(max(position) + 1, 0) FROM items WHERE session = ?1)), ?5, ?6, ?7)
     ON CONFLICT (session, id) DO UPDATE SET turn = excluded.turn, position = coalesce(?4, position),
       seq = excluded.seq, open = excluded.open, body = excluded.body
     RETURNING key`,
    [session, turn, toKey(upsert.itemId), position ?? null, seq, open, itemBody(upsert)],
  );
  database.run('DELETE FROM growths WHERE item = ?', [row?.key ?? null]);
}

/** Appended, so that it costs what was added and not the whole text. */
function writeGrowth(database: Database, session: number, { itemId, at, seq, emittedAt, text }: Growth): void {
  database.run(
    `INSERT INTO growths (item, at, seq, emitted_at, text)
     SELECT key, ?, ?, ?, ? FROM items WHERE session = ? AND id = ? AND open = 1`,
    [at, seq, emittedAt, textBytes(text), session, toKey(itemId)],
  );
}

function writeTurn(database: Database, session: number, turn: TurnSummary, seq: number): void {
  database.run(
    `INSERT INTO turns (session, id, seq, running, completed, shown, body) VALUES (?, ?, ?, ?, ?, 0, ?)
     ON CONFLICT (session, id) DO UPDATE SET seq = excluded.seq, running = excluded.running,
       completed = excluded.completed, body = excluded.body`,
    [
      session,
      toKey(turn.turnId),
      seq,
      flag(turn.status === 'running'),
      flag(turn.status === 'completed'),
      turnBody(turn),
    ],
  );
}

const flag = (isSet: boolean): number => (isSet ? 1 : 0);

function forgetTurn(database: Database, session: number, turnId: string): void {
  const turn = database.get('SELECT key FROM turns WHERE session = ? AND id = ?', [session, toKey(turnId)])?.key;
  if (turn === undefined) return;
  const ofTurn = [session, turn];
  database.run('DELETE FROM growths WHERE item IN (SELECT key FROM items WHERE session = ? AND turn = ?)', ofTurn);
  database.run('DELETE FROM items WHERE session = ? AND turn = ?', ofTurn);
  database.run('DELETE FROM turns WHERE key = ?', [turn]);
}

function clear(database: Database, sessionId: SessionId): void {
  const session = database.get('SELECT key FROM sessions WHERE id = ?', [sessionId])?.key;
  if (session === undefined) return;
  database.run('DELETE FROM growths WHERE item IN (SELECT key FROM items WHERE session = ? AND open = 1)', [session]);
  for (const table of ['items', 'turns']) database.run(`DELETE FROM ${table} WHERE session = ?`, [session]);
  database.run('DELETE FROM sessions WHERE key = ?', [session]);
}

function sessionKey(database: Database, sessionId: SessionId): number {
  const find = () => database.get('SELECT key FROM sessions WHERE id = ?', [sessionId])?.key;
  const found = find();
  if (found !== undefined) return Number(found);
  database.run('INSERT INTO sessions (id) VALUES (?)', [sessionId]);
  return Number(find());
}

/** The key of a turn that has an item. */
function turnKey(database: Database, session: number, turnId: string): number {
  const id = toKey(turnId);
  const found = database.get('SELECT key, shown FROM turns WHERE session = ? AND id = ?', [session, id]);
  if (found?.shown === 1) return Number(found.key);
  const row = database.get(
    `INSERT INTO turns (session, id, seq, running, completed, shown) VALUES (?, ?, 0, 0, 0, 1)
     ON CONFLICT (session, id) DO UPDATE SET shown = 1 RETURNING key`,
    [session, id],
  );
  return Number(row?.key);
}
