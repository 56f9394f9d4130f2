import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';

const MAX_RESULTS = 50;

export interface DirectoryCompletion {
  /** Whole paths that begin with what was typed, in the form it was typed (`~` stays `~`). */
  directories: string[];
  truncated: boolean;
}

/** Completes a directory path for the dialog: names only, hidden ones only after a leading dot. Never fails. */
export async function completeDirectory(prefix: string, home: string = homedir()): Promise<DirectoryCompletion> {
  const typed = prefix === '' || prefix === '~' ? '~/' : prefix;
  const path = typed.startsWith('~/') ? join(home, typed.slice(1)) : typed;
  if (!isAbsolute(path) || path.includes('\0')) return { directories: [], truncated: false };

  const wantsChildren = typed.endsWith('/') || typed.endsWith(sep);
  const parent = wantsChildren ? path : dirname(path);
  const start = wantsChildren ? '' : basename(path);
  const typedParent = wantsChildren ? typed : typed.slice(0, typed.length - start.length);
  const names = (await directoryNames(parent))
    .filter((name) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .sort((a, b) => a.localeCompare(b));
  return {
    directories: names.slice(0, MAX_RESULTS).map((name) => `${typedParent}${name}`),
    truncated: names.length > MAX_RESULTS,
  };
}

async function directoryNames(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  const names = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isDirectory()) return entry.name;
      if (!entry.isSymbolicLink()) return undefined;
      const target = await stat(join(parent, entry.name)).catch(() => undefined);
      return target?.isDirectory() ? entry.name : undefined;
    }),
  );
  return names.filter((name) => name !== undefined);
}
