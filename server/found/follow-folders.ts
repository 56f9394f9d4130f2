import { relative, sep } from 'node:path';
import type { NativeListing } from '../engine/native-listing.ts';
import type { FolderWatches } from '../folder-watches.ts';

/** What may have changed below a listing. */
export interface Noticed {
  /** Folders may have come or gone. */
  folders: boolean;
  /** Names of files by folder. Undefined for all of them. */
  readonly files: Map<string, Set<string> | undefined>;
}

/** Watches the folders of a listing, each once. */
export interface FollowedFolders {
  /** Watches these folders and no others. Returns those that were not watched before. */
  set(folders: readonly string[]): string[];
  all(): readonly string[];
  /** What was noticed since the last call. */
  take(): Noticed;
  close(): void;
}

export function followFolders(
  { folder: top, format }: NativeListing,
  watches: FolderWatches,
  onNotice: () => void,
): FollowedFolders {
  const stops = new Map<string, () => void>();
  let noticed = nothing();

  function notice(folder: string, name: string | undefined): void {
    const depth = folder === top ? 0 : relative(top, folder).split(sep).length;
    if (depth < format.depth) {
      if (name !== undefined && !format.isFolder(name)) return;
      noticed.folders = true;
    } else if (name === undefined) {
      // The folder itself may be gone.
      noticed.folders = true;
      noticed.files.set(folder, undefined);
    } else {
      if (format.nativeIdOf(name) === undefined) return;
      const names = noticed.files.has(folder) ? noticed.files.get(folder) : new Set<string>();
      noticed.files.set(folder, names?.add(name));
    }
    onNotice();
  }

  return {
    set(folders) {
      const wanted = new Set(folders);
      for (const [folder, stop] of stops) {
        if (wanted.has(folder)) continue;
        stop();
        stops.delete(folder);
      }
      const added = folders.filter((folder) => !stops.has(folder));
      for (const folder of added)
        stops.set(
          folder,
          watches.watch(folder, (name) => notice(folder, name)),
        );
      return added;
    },
    all: () => [...stops.keys()],
    take() {
      const taken = noticed;
      noticed = nothing();
      return taken;
    },
    close() {
      for (const stop of stops.values()) stop();
      stops.clear();
    },
  };
}

const nothing = (): Noticed => ({ folders: false, files: new Map() });
