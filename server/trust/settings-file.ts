import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_BYTES = 1024 * 1024;
const MAX_ENTRIES = 500;

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

export type Names =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The names in a directory. A directory that does not exist has none. */
export async function readNames(directory: string): Promise<Names> {
  try {
    const names = (await readdir(directory)).toSorted();
    if (names.length > MAX_ENTRIES) return { kind: 'unreadable', reason: `It has more than ${MAX_ENTRIES} entries.` };
    return { kind: 'names', names };
  } catch (error) {
    if (isMissing(error)) return { kind: 'names', names: [] };
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Files below a directory whose name passes, at most a few levels deep. Links are followed. */
export async function findFiles(
  directory: string,
  isWanted: (name: string) => boolean,
  depth = 3,
): Promise<{ readonly paths: readonly string[]; readonly problem?: string }> {
  const listed = await readNames(directory);
  if (listed.kind === 'unreadable') return { paths: [], problem: listed.reason };
  const found = await Promise.all(
    listed.names.map(async (name) => {
      const path = join(directory, name);
      if (isWanted(name)) return { paths: [path] };
      const isDirectory = await stat(path).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      return isDirectory && depth > 1 ? findFiles(path, isWanted, depth - 1) : { paths: [] };
    }),
  );
  const paths = found.flatMap((each) => each.paths);
  const problem = found
    .map((each) => ('problem' in each ? each.problem : undefined))
    .find((text) => text !== undefined);
  if (paths.length > MAX_ENTRIES) return { paths: [], problem: `It has more than ${MAX_ENTRIES} files.` };
  return { paths, ...(problem !== undefined && { problem }) };
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
