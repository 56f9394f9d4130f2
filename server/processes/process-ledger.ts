import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
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
  mkdirSync(directory, { recursive: true, mode: 0o700 });

  return {
    announce(id) {
      writeFileSync(fileOf(id), '', { flag: 'wx', mode: 0o600 });
    },
    record(id, leader, label) {
      const temporary = join(directory, `${id}.tmp`);
      writeFileSync(temporary, JSON.stringify({ label, ...leader }), { mode: 0o600 });
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

function readEntry(id: string, path: string): LedgerEntry {
  try {
    const { label, pid, startTime } = entrySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { id, label, leader: { pid, startTime } };
  } catch {
    return { id };
  }
}
