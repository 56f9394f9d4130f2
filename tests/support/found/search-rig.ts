import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { createFolderWatches, type FolderWatches } from '../../../server/folder-watches.ts';
import { type Catalogue, type CatalogueChange, createCatalogue } from '../../../server/found/catalogue.ts';
import { createLocalLooks, createLookWorker, type LookChannel } from '../../../server/found/look-channel.ts';
import type { LookRequest } from '../../../server/found/look-host.ts';
import { createFolderSearch, type FolderSearch } from '../../../server/found/search-folders.ts';
import type { FoundRow, FoundRows } from '../../../server/journal/journal.ts';
import { listingFormats } from '../../../server/listing-formats.ts';
import { createCodexListing } from '../../../server/providers/acp/rollout/listing.ts';
import { createClaudeListing } from '../../../server/providers/claude/transcript/listing.ts';
import { scratchDirectory } from '../scratch-directory.ts';

export interface Homes {
  readonly home: string;
  readonly claudeHome: string;
  readonly codexHome: string;
}

export function createHomes(): Homes {
  const home = scratchDirectory();
  const [claudeHome, codexHome] = [join(home, '.claude'), join(home, '.codex')];
  for (const folder of [join(claudeHome, 'projects'), join(codexHome, 'sessions')])
    mkdirSync(folder, { recursive: true });
  return { home, claudeHome, codexHome };
}

export function listingsOf({ home }: Homes) {
  const env = { HOME: home };
  return [
    { cliType: 'claude-code', listing: createClaudeListing(env) },
    { cliType: 'codex', listing: createCodexListing(env) },
  ];
}

export interface SearchRig {
  readonly search: FolderSearch;
  readonly catalogue: Catalogue;
  readonly watches: FolderWatches;
  readonly requests: readonly LookRequest[];
  /** How many files the last requests found changed. */
  readonly changed: string[];
  readonly problems: unknown[];
  /** Titles by session, without the agent's name. */
  titles(): string[];
  /** Resolves with the next change. */
  next(): Promise<CatalogueChange>;
}

/** Rows in memory, as the journal keeps them. */
export function createRows(): FoundRows & { readonly all: Map<string, FoundRow> } {
  const all = new Map<string, FoundRow>();
  return {
    all,
    read: async (after = '') =>
      [...all.values()]
        .filter(({ path }) => path > after)
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .slice(0, 2_000),
    async write(rows, gone) {
      for (const path of gone) all.delete(path);
      for (const row of rows) all.set(row.path, row);
    },
  };
}

export function createSearchRig(homes: Homes, rows: FoundRows, thread: 'here' | 'worker' = 'here'): SearchRig {
  const catalogue = createCatalogue();
  const watches = createFolderWatches();
  const requests: LookRequest[] = [];
  const changed: string[] = [];
  const problems: unknown[] = [];
  let wake: (change: CatalogueChange) => void = () => {};
  function openLooks(): LookChannel {
    const looks = thread === 'here' ? createLocalLooks(listingFormats) : createLookWorker(listingFormats, systemClock);
    return {
      close: looks.close,
      send(request, take) {
        requests.push(request);
        return looks.send(request, (response) => {
          changed.push(...(response.changes ?? []).map(({ name }) => name));
          take(response);
        });
      },
    };
  }
  const search = createFolderSearch({
    listings: listingsOf(homes),
    openLooks,
    rows,
    catalogue,
    watches,
    clock: systemClock,
    onChange: (change) => wake(change),
    onLooked: () => {},
    onProblem: (problem, error) => problems.push(problem, error),
  });
  onTestFinished(async () => {
    await search.close();
    watches.close();
  });
  return {
    search,
    catalogue,
    watches,
    requests,
    changed,
    problems,
    titles: () => catalogue.sessions().map(({ title }) => title),
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
}
