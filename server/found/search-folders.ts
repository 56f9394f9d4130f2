import type { Clock } from '../clock.ts';
import { createDeferred } from '../deferred.ts';
import type { FolderWatches } from '../folder-watches.ts';
import type { FoundRows } from '../journal/journal.ts';
import type { Catalogue, CatalogueChange } from './catalogue.ts';
import { followFolders } from './follow-folders.ts';
import { type AgentListing, createFoundCache, type KeptListing } from './found-cache.ts';
import type { LookChannel } from './look-channel.ts';
import type { FileChange, FolderTask, FoundFile } from './walk.ts';

export interface SearchFoldersDeps {
  readonly listings: readonly AgentListing[];
  /** Of agents without such folders, for `take`. */
  readonly others?: readonly KeptListing[];
  /** One for each agent, so that they are looked at side by side. */
  readonly openLooks: () => LookChannel;
  readonly rows: FoundRows;
  readonly catalogue: Catalogue;
  readonly watches: FolderWatches;
  readonly clock: Clock;
  readonly onChange: (change: CatalogueChange) => void;
  /** Called after everything was looked at. */
  readonly onLooked: () => void;
  readonly onProblem: (problem: string, error: unknown) => void;
}

/** Keeps the catalogue the same as the agents' folders. */
export interface FolderSearch {
  /** Takes what was known in the last run, then looks at everything. Resolves when that is done. Never rejects. */
  start(): Promise<void>;
  /**
   * Takes what was learned in another way. `read` is called when everything before is in the catalogue, also what was known
   * in the last run.
   */
  take(from: KeptListing, read: () => readonly FileChange[]): Promise<void>;
  /** Resolves when everything that was noticed so far is in the catalogue. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** How long changes are collected. */
const COLLECT_MS = 100;
/** For file systems that do not tell what changes. */
const LOOK_AGAIN_MS = 5 * 60_000;
/** How many known files and folders go into one request. */
const MAX_KNOWN = 2_000;
const MAX_FOLDERS = 100;

export function createFolderSearch(deps: SearchFoldersDeps): FolderSearch {
  const { catalogue, clock, onChange, onProblem } = deps;
  const cache = createFoundCache(deps.rows, [...deps.listings, ...(deps.others ?? [])]);
  const agents = deps.listings.map((agent) => ({
    ...agent,
    looks: deps.openLooks(),
    followed: followFolders(agent.listing, deps.watches, lookSoon),
  }));
  type Agent = (typeof agents)[number];
  /** What was found and is not in the cache yet. */
  const unkept: (() => Promise<void>)[] = [];
  /** Resolves when what was known in the last run is in the catalogue. Everything else comes after it. */
  const begun = createDeferred();
  let last = begun.promise;
  let soon: unknown;
  let again: unknown;
  let isClosed = false;

  function report(change: CatalogueChange): void {
    if (change.added.length + change.changed.length + change.gone.length > 0) onChange(change);
  }

  function apply({ cliType, listing }: KeptListing, changes: readonly FileChange[]): void {
    if (isClosed || changes.length === 0) return;
    const files: FoundFile[] = [];
    report(catalogue.apply(cliType, changes, (file) => files.push(file)));
    unkept.push(() => cache.write(listing, files, changes));
  }

  async function look(agent: Agent, tasks: readonly FolderTask[]): Promise<void> {
    const { listing, looks } = agent;
    await looks.send({ kind: 'files', format: listing.format.name, tasks }, ({ changes = [] }) =>
      apply(agent, changes),
    );
  }

  async function lookInto(agent: Agent, folders: readonly string[]): Promise<void> {
    let tasks: FolderTask[] = [];
    let count = 0;
    for (const folder of folders) {
      if (isClosed) return;
      const known = catalogue.known(folder);
      tasks.push({ folder, known });
      count += known.length / 2;
      if (count < MAX_KNOWN && tasks.length < MAX_FOLDERS) continue;
      await look(agent, tasks);
      tasks = [];
      count = 0;
    }
    if (tasks.length > 0) await look(agent, tasks);
  }

  /** Watches first, so that nothing is missed. Returns the folders to look into: new ones and those that are gone. */
  async function findFolders({
    listing,
    looks,
    followed,
  }: Agent): Promise<{ present: string[]; gone: string[]; added: string[] }> {
    let present: string[] = [];
    await looks.send({ kind: 'folders', format: listing.format.name, folder: listing.folder }, ({ folders = [] }) => {
      present = [...folders];
    });
    if (isClosed) return { present: [], gone: [], added: [] };
    const added = followed.set(present);
    const isPresent = new Set(present);
    const prefix = `${listing.folder}/`;
    const gone = catalogue.folders().filter((folder) => folder.startsWith(prefix) && !isPresent.has(folder));
    return { present, gone, added };
  }

  async function lookAtAll(): Promise<void> {
    await Promise.all(
      agents.map(async (agent) => {
        const { present, gone } = await findFolders(agent);
        await lookInto(agent, [...present, ...gone]);
      }),
    );
    if (!isClosed) deps.onLooked();
    await keepAll();
  }

  /** After the list is there: it is what somebody waits for. */
  async function keepAll(): Promise<void> {
    try {
      for (const write of unkept.splice(0)) if (!isClosed) await write();
    } catch (error) {
      if (!isClosed) onProblem('Found sessions are not cached.', error);
    }
  }

  async function lookAtNoticed(): Promise<void> {
    for (const agent of agents) {
      const { folders, files } = agent.followed.take();
      const { added, gone } = folders ? await findFolders(agent) : { added: [], gone: [] };
      await lookInto(agent, [...added, ...gone]);
      const tasks = [...files].map(
        ([folder, names]): FolderTask => ({ folder, known: catalogue.known(folder), only: names && [...names] }),
      );
      if (tasks.length > 0) await look(agent, tasks);
    }
    await keepAll();
  }

  function lookSoon(): void {
    if (soon !== undefined || isClosed) return;
    soon = clock.setTimeout(() => {
      soon = undefined;
      void inOrder(lookAtNoticed);
    }, COLLECT_MS);
  }

  function lookAgainLater(): void {
    if (isClosed) return;
    again = clock.setTimeout(() => {
      void inOrder(lookAtAll).then(lookAgainLater);
    }, LOOK_AGAIN_MS);
  }

  function inOrder(run: () => Promise<void>): Promise<void> {
    last = last.then(() => (isClosed ? undefined : run())).catch(notRead);
    return last;
  }

  function notRead(error: unknown): void {
    if (!isClosed) onProblem('The folders of the agents could not be read.', error);
  }

  const readCache = () => cache.read((cliType, files) => report(catalogue.apply(cliType, files)));

  return {
    async start() {
      await readCache().catch(notRead);
      begun.resolve();
      if (agents.length === 0) return;
      await inOrder(lookAtAll);
      lookAgainLater();
    },
    take: (from, read) =>
      inOrder(async () => {
        apply(from, read());
        await keepAll();
      }),
    async settled() {
      await last;
    },
    async close() {
      isClosed = true;
      begun.resolve();
      clock.clearTimeout(soon);
      clock.clearTimeout(again);
      for (const { followed } of agents) followed.close();
      await Promise.all(agents.map(({ looks }) => looks.close()));
      await last;
    },
  };
}
