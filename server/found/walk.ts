import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ListingFormat, NativeListing } from '../engine/native-listing.ts';
import type { NativeSummary } from '../engine/native-sessions.ts';
import { createFileEndsReader } from './file-ends.ts';

/** A file of an agent, as it was when it was looked at. */
export interface FoundFile {
  readonly folder: string;
  readonly name: string;
  /** As long as it is the same, the file says the same. */
  readonly stamp: string;
  /** Undefined if it has no conversation that is listed. */
  readonly summary: NativeSummary | undefined;
}

/** What is different from what was known. */
export type FileChange = FoundFile | { readonly folder: string; readonly name: string; readonly stamp: undefined };

/** What to look at in a folder. */
export interface FolderTask {
  readonly folder: string;
  /** The known files: name, stamp, name, stamp … */
  readonly known: readonly string[];
  /** Only these names, or everything in the folder. */
  readonly only?: readonly string[] | undefined;
}

/** The folders of a listing that exist, each after the one that it is in. Links are followed. */
export function listFolders({ folder, format }: NativeListing): string[] {
  const found = [folder];
  let level = [folder];
  for (let depth = 0; depth < format.depth; depth += 1) {
    level = level.flatMap((parent) => foldersIn(parent, format));
    found.push(...level);
  }
  return found;
}

function foldersIn(parent: string, { isFolder }: ListingFormat): string[] {
  return entriesOf(parent).flatMap((entry) => {
    const path = join(parent, entry.name);
    if (!isFolder(entry.name)) return [];
    return entry.isDirectory() || (entry.isSymbolicLink() && statOf(path)?.isDirectory()) ? [path] : [];
  });
}

export type Look = (format: ListingFormat, task: FolderTask) => Generator<FileChange, void, undefined>;

/** Looks at files one at a time. What cannot be read is left out, and looked at again when it changes. Never throws. */
export function createLook(): Look {
  const ends = createFileEndsReader();

  function summarise(format: ListingFormat, path: string, nativeId: string): NativeSummary | undefined {
    try {
      return ends.read(path, (file) => format.summarise(nativeId, file));
    } catch {
      return undefined;
    }
  }

  return function* look(format, { folder, known, only }) {
    const stamps = new Map<string, string>();
    for (let at = 0; at + 1 < known.length; at += 2) stamps.set(known[at] ?? '', known[at + 1] ?? '');
    const names = new Set(entriesOf(folder).map(({ name }) => name));
    for (const name of only ?? names) {
      const nativeId = names.has(name) ? format.nativeIdOf(name) : undefined;
      if (nativeId === undefined) continue;
      const path = join(folder, name);
      const stats = statOf(path);
      if (!stats?.isFile()) continue;
      const isArchived = format.isArchived?.(folder, nativeId, names) ?? false;
      const stamp = `${stats.size}:${stats.mtimeMs}${isArchived ? ':archived' : ''}`;
      const before = stamps.get(name);
      stamps.delete(name);
      if (stamp === before) continue;
      yield { folder, name, stamp, summary: isArchived ? undefined : summarise(format, path, nativeId) };
    }
    for (const name of stamps.keys()) if (only?.includes(name) ?? true) yield { folder, name, stamp: undefined };
  };
}

/** Empty for a folder that is missing or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
