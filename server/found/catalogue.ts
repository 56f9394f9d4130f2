import { type CliType, type SessionId, toCanonical } from '../../shared/ids.ts';
import type { NativeSummary } from '../engine/native-sessions.ts';
import type { FileChange, FoundFile } from './walk.ts';

/** A conversation in the files of an agent. */
export interface FoundSession extends NativeSummary {
  readonly sessionId: SessionId;
  readonly cliType: CliType;
}

/** Each session once. */
export interface CatalogueChange {
  readonly added: readonly SessionId[];
  /** Its title, its time or its directory is another one. */
  readonly changed: readonly SessionId[];
  readonly gone: readonly SessionId[];
}

/** What is known of the agents' files. */
export interface Catalogue {
  get(sessionId: string): FoundSession | undefined;
  /** In the order of their creation, newest first. The same array as long as nothing has changed. */
  sessions(): readonly FoundSession[];
  /** Folders with known files. */
  folders(): readonly string[];
  /** The known files of a folder: name, stamp, name, stamp … */
  known(folder: string): string[];
  /** `took` is called with what was noted of each file. */
  apply(cliType: CliType, changes: readonly FileChange[], took?: (file: FoundFile) => void): CatalogueChange;
}

interface File {
  readonly stamp: string;
  readonly session: FoundSession | undefined;
}

export function createCatalogue(): Catalogue {
  const folders = new Map<string, Map<string, File>>();
  const shown = new Map<SessionId, FoundSession>();
  /** Copies of a conversation that are not shown. */
  const copies = new Map<SessionId, FoundSession[]>();
  let sorted: readonly FoundSession[] | undefined;

  function leave(session: FoundSession): void {
    const { sessionId } = session;
    const others = (copies.get(sessionId) ?? []).filter((other) => other !== session);
    if (shown.get(sessionId) === session) {
      const next = others.shift();
      if (next === undefined) shown.delete(sessionId);
      else shown.set(sessionId, next);
    }
    if (others.length === 0) copies.delete(sessionId);
    else copies.set(sessionId, others);
  }

  /** Of several files of a conversation, the one with the newest message counts. */
  function enter(session: FoundSession): void {
    const { sessionId } = session;
    const present = shown.get(sessionId);
    const isNewer = present === undefined || session.lastMessageAt > present.lastMessageAt;
    if (isNewer) shown.set(sessionId, session);
    const copy = isNewer ? present : session;
    if (copy !== undefined) copies.set(sessionId, [...(copies.get(sessionId) ?? []), copy]);
  }

  function applyOne(cliType: CliType, change: FileChange, took?: (file: FoundFile) => void): void {
    const { folder, name } = change;
    const files = folders.get(folder) ?? new Map<string, File>();
    const before = files.get(name);
    if (before?.session !== undefined) leave(before.session);
    files.delete(name);
    if (change.stamp !== undefined) {
      const summary = withGivenTitle(change, before);
      const session = summary && { ...summary, sessionId: toCanonical(cliType, summary.nativeId), cliType };
      files.set(name, { stamp: change.stamp, session });
      if (session !== undefined) enter(session);
      took?.({ ...change, summary });
    }
    if (files.size === 0) folders.delete(folder);
    else folders.set(folder, files);
  }

  return {
    get: (sessionId) => shown.get(sessionId),
    sessions() {
      sorted ??= [...shown.values()].sort(byCreation);
      return sorted;
    },
    folders: () => [...folders.keys()],
    known: (folder) => [...(folders.get(folder) ?? [])].flatMap(([name, { stamp }]) => [name, stamp]),
    apply(cliType, changes, took) {
      const before = new Map<SessionId, FoundSession | undefined>();
      const note = (session: FoundSession | undefined) => {
        if (session !== undefined && !before.has(session.sessionId))
          before.set(session.sessionId, shown.get(session.sessionId));
      };
      for (const change of changes) {
        note(folders.get(change.folder)?.get(change.name)?.session);
        const nativeId = change.stamp === undefined ? undefined : change.summary?.nativeId;
        const sessionId = nativeId && toCanonical(cliType, nativeId);
        if (sessionId && !before.has(sessionId)) before.set(sessionId, shown.get(sessionId));
        applyOne(cliType, change, took);
      }
      if (before.size > 0) sorted = undefined;
      return compare(before, shown);
    },
  };
}

function compare(
  before: ReadonlyMap<SessionId, FoundSession | undefined>,
  now: ReadonlyMap<SessionId, FoundSession>,
): CatalogueChange {
  const change = { added: [] as SessionId[], changed: [] as SessionId[], gone: [] as SessionId[] };
  for (const [sessionId, was] of before) {
    const is = now.get(sessionId);
    if (is === undefined) change.gone.push(sessionId);
    else if (was === undefined) change.added.push(sessionId);
    else if (was.title !== is.title || was.lastMessageAt !== is.lastMessageAt || was.cwd !== is.cwd)
      change.changed.push(sessionId);
  }
  return change;
}

/** A title stays when so much was written after it that it is no longer in what is read of the file. */
function withGivenTitle({ summary, stamp }: FoundFile, before: File | undefined): NativeSummary | undefined {
  const earlier = before?.session;
  const hasGrown = before !== undefined && Number.parseInt(stamp, 10) >= Number.parseInt(before.stamp, 10);
  if (summary === undefined || summary.isTitleGiven || !earlier?.isTitleGiven || !hasGrown) return summary;
  return { ...summary, title: earlier.title, isTitleGiven: true };
}

function byCreation(a: FoundSession, b: FoundSession): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.sessionId < b.sessionId ? -1 : 1;
}
