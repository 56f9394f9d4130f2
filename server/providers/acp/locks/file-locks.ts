import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface FileLock {
  /** The name of the locked file. */
  readonly name: string;
  readonly pid: number;
}

/** `6: FLOCK  ADVISORY  WRITE 5165 fe:00:2320327 0 EOF`; those that wait for a lock have an arrow behind the number. */
const LOCK = /^\d+: FLOCK\s+\S+\s+WRITE\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s/gm;

/** Who has locked files of a folder. Goes by the processes with locks, which are few; the files of a folder may be many. */
export async function listFileLocks(folder: string, proc: string): Promise<readonly FileLock[]> {
  const listed = await readFile(join(proc, 'locks'), 'utf8').catch(() => '');
  const inodes = new Map<number, Set<number>>();
  for (const [, pid, inode] of listed.matchAll(LOCK)) {
    const known = inodes.get(Number(pid)) ?? new Set();
    inodes.set(Number(pid), known.add(Number(inode)));
  }
  const real = await realpath(folder).catch(() => undefined);
  if (inodes.size === 0 || real === undefined) return [];
  const found = await Promise.all([...inodes].map(([pid, locked]) => locksOf(pid, locked, real, proc)));
  return found.flat();
}

async function locksOf(pid: number, locked: ReadonlySet<number>, folder: string, proc: string): Promise<FileLock[]> {
  const files = join(proc, String(pid), 'fd');
  // Those of other users cannot be looked at.
  const numbers = await readdir(files).catch(() => []);
  const paths = await Promise.all(numbers.map((number) => readlink(join(files, number)).catch(() => '')));
  const locks: FileLock[] = [];
  for (const path of new Set(paths)) {
    if (!path.endsWith('.lock') || dirname(path) !== folder) continue;
    const inode = (await stat(path).catch(() => undefined))?.ino;
    if (inode !== undefined && locked.has(inode)) locks.push({ name: basename(path), pid });
  }
  return locks;
}
