import { join } from 'node:path';
import type { Journal } from './journal/journal.ts';
import { openJournal } from './journal/open-journal.ts';
import { createProjectStore, noProjects, type ProjectStore, projectsFormat } from './projects/project-store.ts';
import { createSessionStore, noSessions, type StoredSessions, sessionsFormat } from './sessions/session-store.ts';
import { type JsonStoreOptions, openJsonStore } from './store/index.ts';

export interface Stores {
  readonly projects: ProjectStore;
  readonly sessions: StoredSessions;
  readonly journal: Journal;
  /** Calls `listener` when the journal cannot be written, and with undefined when it can again. */
  onTrouble(listener: (trouble: string | undefined) => void): void;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Called for a file that could not be read and was moved aside. */
  readonly warn: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Where the journal's database is used; in a worker if not given. */
  readonly journalThread?: 'worker' | 'here';
}

export async function openStores(
  dataDir: string,
  { warn, onError, journalThread = 'worker' }: StoreOptions,
): Promise<Stores> {
  async function open<T extends object>(name: string, format: Omit<JsonStoreOptions<T>, 'path' | 'onError'>) {
    const path = join(dataDir, name);
    const store = await openJsonStore<T>({ ...format, path, onError });
    const { movedAside } = store;
    if (movedAside !== undefined)
      warn(`${path} could not be read (${movedAside.reason}). It is kept as ${movedAside.path}.`);
    return store;
  }
  const projectFile = await open('projects.json', { ...projectsFormat, defaults: noProjects });
  const sessionFile = await open('sessions.json', { ...sessionsFormat, defaults: noSessions });
  const listeners = new Set<(trouble: string | undefined) => void>();
  const journal = await openJournal({
    dataDir,
    thread: journalThread,
    warn,
    onTrouble(message) {
      onError(new Error(message));
      for (const listener of listeners) listener(message);
    },
    onRecovery() {
      for (const listener of listeners) listener(undefined);
    },
  });
  return {
    journal,
    onTrouble: (listener) => listeners.add(listener),
    projects: createProjectStore({ store: projectFile }),
    sessions: createSessionStore(sessionFile),
    close: async () => {
      await Promise.all([projectFile.close(), sessionFile.close(), journal.close()]);
    },
  };
}
