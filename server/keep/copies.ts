import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toCanonical } from '../../shared/ids.ts';
import { createTimeSlices } from '../time-slice.ts';
import type { KeptFiles } from './kept-files.ts';
import { currentFiles, isWhole } from './kept-index.ts';
import { type CopyId, openSessionCopy, type SessionCopy } from './session-copy.ts';

/** All copies in the data directory. */
export interface Copies {
  directoryOf(id: CopyId): string;
  /** Whether there is a copy with everything that was there at the last look. */
  has(id: CopyId): boolean;
  open(id: CopyId): Promise<SessionCopy>;
  /** Reads a copy again when it is needed next. */
  close(id: CopyId): void;
  /** Removes a copy. Nothing may be copied into it meanwhile. */
  remove(id: CopyId): Promise<void>;
  /** To be called after every look at the files of a conversation. */
  noteLook(id: CopyId, isComplete: boolean): void;
  /** Reads the indexes of all copies. Rejects if the directory cannot be read; a copy that cannot be read is left out. */
  readAll(): Promise<void>;
  totals(): Totals;
}

export interface Totals {
  readonly bytes: number;
  readonly sessions: number;
  readonly files: number;
}

export interface CopiesOptions {
  readonly directory: string;
  readonly files: KeptFiles;
  readonly now: () => string;
  readonly limitBytes: number;
}

/** There is no room for more copies. */
export class KeepFullError extends Error {
  override readonly name = 'KeepFullError';
}

/** Reads only the names of the copies: reading the indexes would delay the start. */
export async function openCopies(options: CopiesOptions): Promise<Copies> {
  const { directory, files, now, limitBytes } = options;
  const ids = new Map<string, CopyId>();
  const opened = new Map<string, SessionCopy>();
  const incomplete = new Set<string>();
  const counted = new Map<string, Totals>();
  let totals: Totals = { bytes: 0, sessions: 0, files: 0 };
  const keyOf = ({ cliType, nativeId }: CopyId) => toCanonical(cliType, nativeId);
  const directoryOf = ({ cliType, nativeId }: CopyId) => join(directory, cliType, nativeId);

  const isVisible = (name: string) => !name.startsWith('.');
  for (const cliType of (await files.list(directory)).filter(isVisible)) {
    for (const nativeId of (await files.list(join(directory, cliType))).filter(isVisible)) {
      ids.set(keyOf({ cliType, nativeId }), { cliType, nativeId });
    }
  }

  function count(copy: SessionCopy): void {
    const key = keyOf(copy.id);
    const current = currentFiles(copy.index);
    const after = { bytes: copy.bytes(), sessions: current.length > 0 ? 1 : 0, files: current.length };
    const before = counted.get(key) ?? { bytes: 0, sessions: 0, files: 0 };
    counted.set(key, after);
    totals = {
      bytes: totals.bytes + after.bytes - before.bytes,
      sessions: totals.sessions + after.sessions - before.sessions,
      files: totals.files + after.files - before.files,
    };
  }

  async function open(id: CopyId): Promise<SessionCopy> {
    const key = keyOf(id);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const copy: SessionCopy = await openSessionCopy(directoryOf(id), id, {
      files,
      now,
      reserve(bytes) {
        count(copy);
        if (totals.bytes + bytes > limitBytes) throw new KeepFullError();
      },
    });
    opened.set(key, copy);
    const current = currentFiles(copy.index);
    if (current.length > 0) ids.set(key, id);
    else ids.delete(key);
    if (!current.every(isWhole)) incomplete.add(key);
    count(copy);
    return copy;
  }

  return {
    directoryOf,
    has: (id) => ids.has(keyOf(id)) && !incomplete.has(keyOf(id)),
    open,
    close: (id) => opened.delete(keyOf(id)),
    async remove(id) {
      const key = keyOf(id);
      await rm(directoryOf(id), { recursive: true, force: true });
      const { bytes, sessions, files } = counted.get(key) ?? { bytes: 0, sessions: 0, files: 0 };
      totals = { bytes: totals.bytes - bytes, sessions: totals.sessions - sessions, files: totals.files - files };
      counted.delete(key);
      opened.delete(key);
      ids.delete(key);
      incomplete.delete(key);
    },
    noteLook(id, isComplete) {
      const key = keyOf(id);
      const copy = opened.get(key);
      if (copy === undefined) return;
      count(copy);
      if (currentFiles(copy.index).length > 0) ids.set(key, id);
      if (isComplete) incomplete.delete(key);
      else incomplete.add(key);
    },
    async readAll() {
      const takeTurns = createTimeSlices();
      for (const id of [...ids.values()]) {
        await open(id).catch(() => {});
        await takeTurns();
      }
    },
    totals: () => totals,
  };
}
