import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const MAX_RESULTS = 50;

export interface DirectoryCompletion {
  /** Full paths that begin with the input, in the same form (`~` stays `~`). */
  directories: string[];
  truncated: boolean;
}

/** Completes a directory path for the dialog. Includes hidden directories only after a leading dot. Never rejects. */
export async function completeDirectory(prefix: string, home: string = homedir()): Promise<DirectoryCompletion> {
  const typed = prefix === '' || prefix === '~' ? '~/' : prefix;
  // Not normalised, which would lose the `.` that asks for hidden directories.
  const slash = typed.lastIndexOf('/') + 1;
  const typedParent = typed.slice(0, slash);
  const start = typed.slice(slash);
  const parent = typedParent.startsWith('~/') ? join(home, typedParent.slice(1)) : typedParent;
  if (!isAbsolute(parent) || parent.includes('\0')) return { directories: [], truncated: false };

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
