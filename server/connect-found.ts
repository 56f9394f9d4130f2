import type { CommandOutput } from '../shared/commands.ts';
import type { SessionMeta } from '../shared/entities.ts';
import { fromCanonical, type SessionId, toCanonical } from '../shared/ids.ts';
import type { Clock } from './clock.ts';
import type { ProviderRegistry } from './engine/provider-registry.ts';
import type { FolderWatches } from './folder-watches.ts';
import { createFoundAnnouncer } from './found/announce-found.ts';
import { createCatalogue } from './found/catalogue.ts';
import { createListedSessions } from './found/listed-sessions.ts';
import { createLocalLooks, createLookWorker } from './found/look-channel.ts';
import { offeredDirectories } from './found/offered-directories.ts';
import { createPlaces } from './found/places.ts';
import { createFolderSearch } from './found/search-folders.ts';
import { toldChanges, toldListing } from './found/told-sessions.ts';
import type { Journal } from './journal/journal.ts';
import type { Logger } from './log.ts';
import type { ProjectStore } from './projects/project-store.ts';
import type { Announce } from './sessions/open-session.ts';
import type { SessionStore, StoredSessions } from './sessions/session-store.ts';

export interface ConnectFoundDeps {
  readonly sessions: StoredSessions;
  readonly projects: ProjectStore;
  readonly registry: ProviderRegistry;
  readonly journal: Journal;
  readonly watches: FolderWatches;
  readonly clock: Clock;
  readonly log: Logger;
  readonly thread?: 'worker' | 'here' | undefined;
  readonly announce: Announce;
  /** Tells all windows how a session is listed now. */
  readonly announceSession: (sessionId: SessionId) => void;
  readonly announceFound: (sessions: readonly SessionMeta[]) => void;
}

export interface ConnectedFound {
  /** The stored sessions and those from terminals. */
  readonly sessions: SessionStore;
  directories(): Promise<CommandOutput<'directory:with-sessions'>['directories']>;
  /** Begins to look for sessions, in the background. */
  start(): void;
  close(): Promise<void>;
}

/** Worktrees and links are looked at again after this time, if a session turns up in an unknown directory. */
const REFRESH_MS = 250;

/** Delayed, because serving the page comes first after a start. */
const START_MS = 50;

/** Connects what is found in the agents' folders to projects, sessions and windows. */
export function connectFound(deps: ConnectFoundDeps): ConnectedFound {
  const { sessions: stored, projects, registry, clock, log } = deps;
  const catalogue = createCatalogue();
  const places = createPlaces(projects);
  const listings = registry.list().flatMap(({ cliType, listing }) => (listing ? [{ cliType, listing }] : []));
  const formats = listings.map(({ listing }) => listing.format);
  const sessions = createListedSessions({
    ...{ stored, catalogue, places, foundIdOf },
    pathOf: (projectId) => projects.getProject(projectId)?.path,
  });
  let timer: unknown;
  let isClosed = false;

  function foundIdOf(sessionId: SessionId): SessionId {
    const { cliType } = fromCanonical(sessionId);
    const provider = registry.list().find((known) => known.cliType === cliType);
    const nativeId = provider?.nativeFiles?.nativeIdOf(sessionId) ?? provider?.told?.idOf(sessionId);
    return nativeId === undefined ? sessionId : toCanonical(cliType, nativeId);
  }

  const announcer = createFoundAnnouncer({
    sessions,
    all: catalogue.sessions,
    clock,
    found: deps.announceFound,
    changed(sessionId) {
      if (sessions.get(sessionId) !== stored.get(sessionId)) deps.announceSession(sessionId);
    },
    gone(sessionId) {
      if (!stored.isDeleted(sessionId)) deps.announce({ to: 'all', message: { type: 'session:deleted', sessionId } });
    },
  });

  async function review(): Promise<void> {
    await announcer.review();
    const apart = catalogue.sessions().flatMap(({ cwd }) => (places.projectOf(cwd) === undefined ? [cwd] : []));
    await places.refresh(apart);
    if (!isClosed) await announcer.review();
  }

  function reviewSoon(): void {
    timer ??= clock.setTimeout(() => {
      timer = undefined;
      void review();
    }, REFRESH_MS);
  }

  const tellers = registry.list().flatMap(({ cliType, told }) => (told ? [{ told, ...toldListing(cliType) }] : []));
  const search = createFolderSearch({
    listings,
    others: tellers,
    openLooks: () => (deps.thread === 'here' ? createLocalLooks(formats) : createLookWorker(formats, clock)),
    rows: deps.journal.found,
    catalogue,
    watches: deps.watches,
    clock,
    onChange(change) {
      announcer.take(change);
      for (const id of change.gone) if (stored.isDeleted(id)) stored.setDeleted(id, false).catch(() => undefined);
      const isApart = (id: SessionId) => places.projectOf(catalogue.get(id)?.cwd ?? '/') === undefined;
      if (change.added.some(isApart)) reviewSoon();
    },
    onLooked: () => void review(),
    onProblem: (problem, error) => log.warn({ err: error }, problem),
  });

  /** An agent may tell of conversations in files that are looked at anyway. */
  const hasFiles = (nativeId: string) =>
    listings.some(({ cliType }) => catalogue.get(toCanonical(cliType, nativeId)) !== undefined);
  const stops = tellers.map((teller) =>
    teller.told.onTold((list) => {
      void search.take(teller, () => toldChanges({ teller, list, catalogue, hasFiles, now: clock.now() }));
    }),
  );

  projects.onChange(() => void review());

  return {
    sessions,
    directories: () => offeredDirectories(catalogue.sessions(), places.projectOf),
    start() {
      timer = clock.setTimeout(() => {
        timer = undefined;
        void search.start();
      }, START_MS);
    },
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      for (const stop of stops) stop();
      announcer.close();
      await search.close();
    },
  };
}
