import { closeSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { makePrivateDirectory, openPrivateSync, readPrivateSync, UnsafeFileError } from '../private-files.ts';
import type { ProcessIdentity } from './process-start-time.ts';

const entrySchema = z.object({
  label: z.string(),
  pid: z.int().min(2),
  startTime: z.string(),
});

export interface LedgerEntry {
  /** Also the marker in the environment of the child and its descendants. */
  readonly id: string;
  /** Unknown if the server was killed between announcing and recording the child. */
  readonly leader?: ProcessIdentity;
  readonly label?: string;
}

export interface ProcessLedger {
  announce(id: string): void;
  record(id: string, leader: ProcessIdentity, label: string): void;
  remove(id: string): void;
  entries(): LedgerEntry[];
}

/**
 * Records every child that may be alive, one file each, so that a server killed at any point leaves a complete list of
 * what it started. A child is announced before it is spawned: the file name is the marker in its environment, so even
 * an empty file is enough to find it. Synchronous, because the child runs as soon as it is spawned. Not synced to disk:
 * the page cache survives the server, and whatever loses the cache also ends the children.
 */
export function createProcessLedger(directory: string): ProcessLedger {
  const fileOf = (id: string) => join(directory, `${id}.json`);
  makePrivateDirectory(directory);

  return {
    announce(id) {
      createFile(fileOf(id), '');
    },
    record(id, leader, label) {
      const temporary = join(directory, `${id}.tmp`);
      createFile(temporary, JSON.stringify({ label, ...leader }));
      renameSync(temporary, fileOf(id));
    },
    remove(id) {
      rmSync(join(directory, `${id}.tmp`), { force: true });
      rmSync(fileOf(id), { force: true });
    },
    entries() {
      return readdirSync(directory).flatMap((name) => {
        const id = /^([0-9a-f-]{36})\.json$/.exec(name)?.[1];
        return id === undefined ? [] : [readEntry(id, fileOf(id))];
      });
    },
  };
}

function createFile(path: string, data: string): void {
  const file = openPrivateSync(path, 'create');
  try {
    writeFileSync(file, data);
  } finally {
    closeSync(file);
  }
}

/** Throws an UnsafeFileError for a file of another user, which might name any process to kill. */
function readEntry(id: string, path: string): LedgerEntry {
  try {
    const { label, pid, startTime } = entrySchema.parse(JSON.parse(readPrivateSync(path)));
    return { id, label, leader: { pid, startTime } };
  } catch (error) {
    if (error instanceof UnsafeFileError) throw error;
    return { id };
  }
}
