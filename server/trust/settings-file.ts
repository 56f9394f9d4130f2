import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 2_000;

/** A file of a directory that nobody vouches for: it may be huge, a pipe, a device, or not readable. */
export type SettingsText =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** `state` changes when the file does. */
  | { readonly kind: 'unreadable'; readonly reason: string; readonly state: string };

export async function readSettingsFile(path: string): Promise<SettingsText> {
  try {
    // Without blocking, because a pipe would never answer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size, mtimeMs, ino } = await file.stat().then((stats) => {
        if (stats.isFile()) return stats;
        throw new Error('It is not a file.');
      });
      const state = `${ino} ${size} ${mtimeMs}`;
      if (size > MAX_BYTES) return { kind: 'unreadable', reason: `It is larger than ${MAX_BYTES} bytes.`, state };
      const bytes = await file.readFile();
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return text.trim() === '' ? { kind: 'absent' } : { kind: 'text', text };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return { kind: 'absent' };
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', reason, state: reason };
  }
}

export interface FoundFiles {
  readonly paths: readonly string[];
  /** Why there may be more. */
  readonly problem?: string;
}

/**
 * The files below a directory whose name passes, in order. Links are followed. A directory that is not there has none;
 * what is more than `maxDepth` levels deep is not looked at.
 */
export async function findFiles(
  directory: string,
  isWanted: (name: string) => boolean,
  maxDepth = Number.POSITIVE_INFINITY,
): Promise<FoundFiles> {
  const paths: string[] = [];
  const pending = [{ path: directory, depth: 1 }];
  let seen = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { path, depth } = next;
    const names = await readdir(path).catch((error: unknown) => (isMissing(error) ? [] : String(error)));
    if (typeof names === 'string') return { paths, problem: names };
    // Links may lead in circles.
    seen += names.length + 1;
    if (seen > MAX_ENTRIES) return { paths, problem: `It has more than ${MAX_ENTRIES} entries.` };
    for (const name of names.toSorted()) {
      const inside = join(path, name);
      if (isWanted(name)) paths.push(inside);
      else if (depth < maxDepth && (await isDirectory(inside))) pending.push({ path: inside, depth: depth + 1 });
    }
  }
  return { paths };
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Whether there is anything of this name, also a broken link or something without permission. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
}

/** Whether both paths lead to the same directory. False if one does not exist. */
export async function isSamePlace(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)));
  return a !== undefined && a === b;
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
