import { basename, dirname, join } from 'node:path';
import type { CliType } from '../../shared/ids.ts';
import type { ListingFormat, NativeListing } from '../engine/native-listing.ts';
import type { NativeSummary } from '../engine/native-sessions.ts';
import type { FoundRow, FoundRows } from '../journal/journal.ts';
import { isBelow } from '../providers/native-files.ts';
import type { FileChange, FoundFile } from './walk.ts';

/** Under which paths the conversations of an agent are kept here, and by which rules they were read. */
export interface KeptListing {
  readonly cliType: CliType;
  readonly listing: { readonly folder: string; readonly format: Pick<ListingFormat, 'name'> };
}

/** Where one agent keeps its conversations. */
export interface AgentListing extends KeptListing {
  readonly listing: NativeListing;
}

/** What is kept of the agents' files between two runs. */
export interface FoundCache {
  /** Calls `take` with what is known, in parts. */
  read(take: (cliType: CliType, files: readonly FoundFile[]) => void): Promise<void>;
  write(listing: KeptListing['listing'], files: readonly FoundFile[], changes: readonly FileChange[]): Promise<void>;
}

export function createFoundCache(rows: FoundRows, listings: readonly KeptListing[]): FoundCache {
  const listingOf = ({ path, format }: FoundRow) =>
    listings.find(({ listing }) => listing.format.name === format && isBelow(path, [listing.folder]));

  return {
    async read(take) {
      let after: string | undefined;
      do {
        const page = await rows.read(after);
        after = page.at(-1)?.path;
        const useless: string[] = [];
        const found = new Map<CliType, FoundFile[]>(listings.map(({ cliType }) => [cliType, []]));
        for (const row of page) {
          const { cliType } = listingOf(row) ?? {};
          const file = fromRow(row);
          if (cliType === undefined || file === undefined) useless.push(row.path);
          else found.get(cliType)?.push(file);
        }
        for (const [cliType, files] of found) if (files.length > 0) take(cliType, files);
        if (useless.length > 0) await rows.write([], useless);
      } while (after !== undefined);
    },
    async write({ format }, files, changes) {
      const gone = changes.flatMap(({ folder, name, stamp }) => (stamp === undefined ? [join(folder, name)] : []));
      if (files.length === 0 && gone.length === 0) return;
      const kept = files.map(({ folder, name, stamp, summary }) => {
        const body = summary === undefined ? '' : JSON.stringify(summary);
        return { path: join(folder, name), stamp, format: format.name, body };
      });
      await rows.write(kept, gone);
    },
  };
}

function fromRow({ path, stamp, body }: FoundRow): FoundFile | undefined {
  const summary = body === '' ? undefined : parseSummary(body);
  if (body !== '' && summary === undefined) return undefined;
  return { folder: dirname(path), name: basename(path), stamp, summary };
}

/** Without a schema: there may be tens of thousands. */
function parseSummary(body: string): NativeSummary | undefined {
  try {
    const { nativeId, cwd, title, isTitleGiven, createdAt, lastMessageAt, isRun } = JSON.parse(body);
    const texts: unknown[] = [nativeId, cwd, title, createdAt, lastMessageAt];
    const isWhole = texts.every((text) => typeof text === 'string') && [isTitleGiven, isRun].every(isBoolean);
    return isWhole ? { nativeId, cwd, title, isTitleGiven, createdAt, lastMessageAt, isRun } : undefined;
  } catch {
    return undefined;
  }
}

const isBoolean = (value: unknown) => typeof value === 'boolean';
