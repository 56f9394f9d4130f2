import { type FSWatcher, watch } from 'node:fs';
import { type Clock, systemClock } from './clock.ts';

/** Called with the name of the file that changed in the folder. Undefined if anything may have changed. */
export type FolderListener = (name: string | undefined) => void;

/**
 * Watches folders of agents: one watch per folder, however many listen. A folder that does not exist yet, was removed or
 * cannot be watched is looked for again every two seconds; its listeners are called with undefined when it can be watched.
 */
export interface FolderWatches {
  /** Returns a function that ends it. */
  watch(folder: string, listener: FolderListener): () => void;
  /** How many folders are watched at present. */
  count(): number;
  close(): void;
}

interface Watched {
  readonly listeners: Set<FolderListener>;
  watcher: FSWatcher | undefined;
}

const RETRY_MS = 2_000;

export function createFolderWatches(clock: Clock = systemClock, watchFolder = watch): FolderWatches {
  const folders = new Map<string, Watched>();
  let timer: unknown;
  let isClosed = false;

  function tell({ listeners }: Watched, name: string | undefined): void {
    for (const listener of [...listeners]) listener(name);
  }

  function begin(folder: string, watched: Watched): boolean {
    try {
      const watcher = watchFolder(folder, { persistent: false }, (event, name) => {
        tell(watched, name ?? undefined);
        // Sent for the folder itself when it was moved or removed.
        if (event === 'rename' && folder.endsWith(`/${name}`)) lose(watched);
      });
      watcher.on('error', () => lose(watched));
      watched.watcher = watcher;
      return true;
    } catch {
      return false;
    }
  }

  function lose(watched: Watched): void {
    watched.watcher?.close();
    watched.watcher = undefined;
    tell(watched, undefined);
    retryLater();
  }

  function retryLater(): void {
    if (timer !== undefined || isClosed) return;
    timer = clock.setTimeout(() => {
      timer = undefined;
      for (const [folder, watched] of folders) {
        if (watched.watcher !== undefined) continue;
        if (begin(folder, watched)) tell(watched, undefined);
        else retryLater();
      }
    }, RETRY_MS);
  }

  return {
    watch(folder, listener) {
      const known = folders.get(folder);
      const watched = known ?? { listeners: new Set(), watcher: undefined };
      watched.listeners.add(listener);
      if (known === undefined) {
        folders.set(folder, watched);
        if (!begin(folder, watched)) retryLater();
      }
      return () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0 || folders.get(folder) !== watched) return;
        watched.watcher?.close();
        folders.delete(folder);
      };
    },
    count: () => [...folders.values()].filter(({ watcher }) => watcher !== undefined).length,
    close() {
      isClosed = true;
      clock.clearTimeout(timer);
      for (const { watcher } of folders.values()) watcher?.close();
      folders.clear();
    },
  };
}
