import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ForkPoint } from '../../../engine/native-sessions.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { readFirstRow } from './first-row.ts';
import { findLineage, type Lineage } from './lineage.ts';
import { codexHome, type Environment } from './rollout-files.ts';
import { scanLines } from './scan-lines.ts';
import { createTurnIndex } from './turn-index.ts';

export interface ForkRequest {
  readonly env: Environment;
  /** The ids of turns begin with it. */
  readonly nativeId: string;
  readonly storedId: string;
  readonly at: ForkPoint;
  readonly now: string;
}

/**
 * Copies a conversation to a file of its own, which Codex opens like any other, also while somebody has the conversation
 * open. With an item, the copy ends with the turn of that item. Returns the id of the copy.
 */
export async function forkRollout({ env, nativeId, storedId, at, now }: ForkRequest): Promise<string> {
  const lineage = await findLineage(env, storedId);
  const meta = lineage && (await readFirstRow(lineage.segments.at(-1)?.path ?? ''));
  if (lineage?.meta === undefined || lineage.isBroken || !isRow(meta)) {
    throw new ProviderError(
      'SESSION_NOT_FOUND',
      'Codex has no whole transcript of this session, so it cannot be forked.',
    );
  }
  const end = at.itemId === undefined ? undefined : await endOfTurn(lineage, nativeId, at.itemId);
  const id = newThreadId(now);
  const path = join(codexHome(env), 'sessions', ...folderOf(now), `rollout-${localTime(now)}-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.unfinished`;
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    const write = createRowWriter((row) => void writeSync(file, row));
    write(JSON.stringify(renamed(meta, id, storedId, now)));
    for (const segment of lineage.segments) {
      const last = end?.path === segment.path ? end.offset : segment.end;
      await scanLines(segment.path, { start: 0, end: last }, ({ head, text }) => {
        if (/"type":"session_meta"/.test(head)) return;
        const row = text();
        if (row === undefined)
          throw new ProviderError('FORK_UNSUPPORTED', 'A part of this session is too large to be copied.');
        write(row);
      });
      if (end?.path === segment.path) break;
    }
    renameSync(unfinished, path);
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
  return id;
}

interface Row {
  readonly payload: Readonly<Record<string, unknown>>;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'payload' in value && typeof value.payload === 'object';
}

function renamed({ payload, ...row }: Row, id: string, from: string, now: string): object {
  const { history_base: _base, forked_from_ordinal_exclusive: _ordinal, ...facts } = payload;
  return { ...row, timestamp: now, payload: { ...facts, session_id: id, id, forked_from_id: from, timestamp: now } };
}

const START = /^(\{"timestamp":"[^"]*",)(?:"ordinal":\d+,)?"type":/;

/** Numbers the rows anew: Codex wants that without gaps at the end, and older versions did not number theirs. */
function createRowWriter(write: (line: string) => void): (row: string) => void {
  let ordinal = 0;
  return (row) => {
    if (!START.test(row) || !isJson(row)) return;
    write(`${row.replace(START, (_, time: string) => `${time}"ordinal":${ordinal},"type":`)}\n`);
    ordinal += 1;
  };
}

function isJson(row: string): boolean {
  try {
    JSON.parse(row);
    return true;
  } catch {
    return false;
  }
}

/** Where the turn after that of the item begins. Undefined if it is the last one. */
async function endOfTurn(lineage: Lineage, nativeId: string, itemId: string) {
  const [, counted] = itemId.startsWith(`${nativeId}:t`)
    ? (/^t(\d+):/.exec(itemId.slice(nativeId.length + 1)) ?? [])
    : [];
  const index = createTurnIndex();
  for (const segment of lineage.segments) {
    await scanLines(segment.path, { start: 0, end: segment.end }, (line) => index.add(line, segment));
  }
  const turns = index.turns();
  const place = Number(counted) - (index.hasPrologue() ? 1 : 0);
  if (turns === undefined || counted === undefined || place < 1 || place > turns.length) {
    throw new ProviderError('FORK_UNSUPPORTED', 'Codex cannot fork this session at that place. Fork all of it.');
  }
  return turns[place] && { path: turns[place].path, offset: turns[place].began };
}

/** As Codex makes them: the time first. */
function newThreadId(now: string): string {
  const time = Date.parse(now).toString(16).padStart(12, '0');
  const random = randomBytes(10);
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70;
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80;
  const hex = `${time}${random.toString('hex')}`;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function localTime(now: string): string {
  const date = new Date(now);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, 19).replaceAll(':', '-');
}

const folderOf = (now: string) => localTime(now).slice(0, 10).split('-');
