import { PLACEHOLDER_TITLE } from '../../shared/entities.ts';
import { type CliType, toCanonical } from '../../shared/ids.ts';
import type { ToldList, ToldSession } from '../engine/native-sessions.ts';
import type { Catalogue, FoundSession } from './catalogue.ts';
import type { KeptListing } from './found-cache.ts';
import type { FileChange } from './walk.ts';

/** What an agent tells is in the catalogue and its cache like files, of a folder that no disk has. */
export function toldListing(cliType: CliType): KeptListing {
  return { cliType, listing: { folder: `told/${cliType}`, format: { name: 'told/1' } } };
}

export interface ToldChangesOptions {
  readonly teller: KeptListing;
  readonly list: ToldList;
  readonly catalogue: Pick<Catalogue, 'known' | 'get'>;
  /** Its file was found, so that it is in the catalogue already. */
  readonly hasFiles: (nativeId: string) => boolean;
  readonly now: string;
}

/** What is different from what was told before. Only a whole list says that a session is gone. */
export function toldChanges({ teller, list, catalogue, hasFiles, now }: ToldChangesOptions): FileChange[] {
  const { cliType, listing } = teller;
  const { folder } = listing;
  const stamps = new Map<string, string>();
  const known = catalogue.known(folder);
  for (let at = 0; at + 1 < known.length; at += 2) stamps.set(known[at] ?? '', known[at + 1] ?? '');
  const changes: FileChange[] = [];
  const gone = new Set(list.isWhole ? stamps.keys() : []);
  for (const session of list.sessions) {
    const { nativeId: name, cwd, title, lastMessageAt } = session;
    if (hasFiles(name)) {
      if (stamps.has(name)) gone.add(name);
      continue;
    }
    gone.delete(name);
    const stamp = JSON.stringify([cwd, title, lastMessageAt]);
    if (stamp === stamps.get(name)) continue;
    const before = catalogue.get(toCanonical(cliType, name));
    changes.push({ folder, name, stamp, summary: summaryOf(session, before, now) });
  }
  for (const name of gone) changes.push({ folder, name, stamp: undefined });
  return changes;
}

/** An agent does not say when a session was created, and not always when it was used: then the first time it was heard of. */
function summaryOf({ nativeId, cwd, title, ...told }: ToldSession, before: FoundSession | undefined, now: string) {
  const lastMessageAt = told.lastMessageAt ?? before?.lastMessageAt ?? now;
  const createdAt = before !== undefined && before.createdAt < lastMessageAt ? before.createdAt : lastMessageAt;
  const titles = { title: title || PLACEHOLDER_TITLE, isTitleGiven: title !== '' };
  return { nativeId, cwd, ...titles, createdAt, lastMessageAt, isRun: false };
}
