import { stat } from 'node:fs/promises';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { Journal } from '../journal/journal.ts';
import { reconcile } from '../journal/reconcile/reconcile.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import { type OpenSession, type OpenSessionOptions, openSession } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import { type Conversation, newestPart, readConversation } from './read-conversation.ts';
import { directoryOf } from './session-directory.ts';
import type { SessionEndings } from './session-endings.ts';
import type { SessionStore } from './session-store.ts';

/** Brings sessions into memory. */
export interface SessionOpening {
  /** Opens a session with what `read` finds of its conversation. */
  openBy(sessionId: SessionId, provider: CliProvider, read: () => Promise<Conversation>): Promise<OpenSession>;
  /** Opens a session, archived or not. */
  ensureOpen(meta: SessionMeta): Promise<OpenSession>;
  /** Does not queue behind messages, which may wait for a process; waits only for an earlier kill or archive. */
  load(sessionId: SessionId): Promise<OpenSession>;
  /** Reads the conversation again, after the agent's files were put back. */
  reload(meta: SessionMeta, session: OpenSession): Promise<void>;
  /** Resolves when all of a conversation is in the journal, of which only the newest part was read at first. */
  whole(sessionId: SessionId): Promise<void>;
}

export interface SessionOpeningDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly journal: Journal;
  readonly open: OpenSessions;
  readonly endings: SessionEndings;
  /** Throws SESSION_NOT_FOUND for a session that is unknown or archived. */
  readonly metaOf: (sessionId: SessionId) => SessionMeta;
  readonly resolve: (cliType: string) => CliProvider;
  readonly isKept: (sessionId: SessionId) => boolean;
  readonly readKept?: ReadKept | undefined;
  readonly optionsOf: (sessionId: SessionId, provider: CliProvider) => OpenSessionOptions;
  readonly onOpened: (sessionId: SessionId, session: OpenSession, stamp: string | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Calls `read` with a directory that has the copied files as the agent's home has them. Undefined without a copy. */
export type ReadKept = <T>(sessionId: SessionId, read: (home: string) => Promise<T>) => Promise<T | undefined>;

/** Files above this size take long to read as a whole. */
const LARGE_BYTES = 4 * 1024 * 1024;

export function createSessionOpening(deps: SessionOpeningDeps): SessionOpening {
  const { sessions, projects, journal, open, endings, metaOf } = deps;
  /** Reads what is left of conversations that were opened with their newest part. */
  const wholes = new Map<SessionId, () => Promise<void>>();

  async function openBy(sessionId: SessionId, provider: CliProvider, read: () => Promise<Conversation>) {
    let conversation: Conversation | undefined;
    const session = await open.ensure(sessionId, () =>
      openSession(deps.optionsOf(sessionId, provider), async () => {
        conversation = await read();
        return conversation;
      }),
    );
    // Set only for the caller that loaded it.
    if (conversation === undefined || open.get(sessionId) !== session) return session;
    if (conversation.isPartial) readWhole(sessionId, session);
    deps.onOpened(sessionId, session, conversation.stamp);
    return session;
  }

  function readWhole(sessionId: SessionId, session: OpenSession): void {
    const { provider } = session;
    const { limits } = deps.optionsOf(sessionId, provider);
    const projectDir = projectDirOf(sessions.get(sessionId));
    let reading: Promise<void> | undefined;

    async function read(): Promise<void> {
      await session.drained();
      await session.refresh(async () => {
        const stored = await provider.readHistory(sessionId, { projectDir });
        if (stored === undefined) return undefined;
        const conversation = reconcile({ entries: [], turns: [] }, stored.history, provider.historyGaps);
        await journal.replace(sessionId, conversation, stored.stamp).catch(() => undefined);
        return { kind: 'conversation', conversation: { ...newestPart(conversation, limits?.pages), isMissing: false } };
      });
      wholes.delete(sessionId);
    }

    const whole = () => {
      reading ??= read().catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
      return reading;
    };
    wholes.set(sessionId, whole);
    whole().catch(deps.onFailure);
  }

  const projectDirOf = (meta: SessionMeta | undefined) => directoryOf(meta, projects) ?? '';

  async function readNewestIfLarge(sessionId: SessionId, provider: CliProvider, projectDir: string) {
    const { nativeFiles } = provider;
    const found = await nativeFiles?.find(nativeFiles.nativeIdOf(sessionId), projectDir);
    const path = found?.files[0]?.path;
    const stats = path === undefined ? undefined : await stat(path).catch(() => undefined);
    if (stats === undefined || stats.size <= LARGE_BYTES) return undefined;
    return provider.readNewest(sessionId, projectDir);
  }

  /** The conversation as we keep it, brought up to date with what the agent has. */
  function read(meta: SessionMeta, provider: CliProvider): Promise<Conversation> {
    const { id: sessionId } = meta;
    const projectDir = projectDirOf(meta);
    const { limits, now } = deps.optionsOf(sessionId, provider);
    const readCopy = () =>
      deps.readKept?.(
        sessionId,
        async (home) => (await provider.readHistory(sessionId, { projectDir, home }))?.history,
      ) ?? Promise.resolve(undefined);
    const readNewest = () => readNewestIfLarge(sessionId, provider, projectDir);
    const { historyGaps: gaps } = provider;
    const options = { sessionId, journal, now, gaps, pages: limits?.pages, readCopy, readNewest };
    return readConversation(options, (kept, stamp) =>
      provider.loadSession(sessionId, {
        projectDir,
        // An agent that was killed in its first turn may not have stored the session.
        neverUsed: !isUsed(meta) || (kept?.hasCompleted === false && kept.stamp === undefined),
        isKept: kept !== undefined || deps.isKept(sessionId),
        stamp,
      }),
    );
  }

  /** Older versions did not store the flag. For their sessions it is derived once. */
  function isUsed({ id, used, title, lastActiveAt, createdAt }: SessionMeta): boolean {
    if (used !== undefined) return used;
    const guess = title !== PLACEHOLDER_TITLE || lastActiveAt !== createdAt;
    sessions.update(id, { used: guess }).catch(() => undefined);
    return guess;
  }

  async function ensureOpen(meta: SessionMeta): Promise<OpenSession> {
    const known = open.get(meta.id);
    if (known !== undefined) return known;
    const provider = deps.resolve(meta.cliType);
    if (projects.getProject(meta.projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
    return openBy(meta.id, provider, () => read(meta, provider));
  }

  return {
    openBy,
    ensureOpen,
    async load(sessionId) {
      metaOf(sessionId);
      await endings.settled(sessionId);
      return ensureOpen(metaOf(sessionId));
    },
    async reload(meta, session) {
      await session.drained();
      await session.refresh(async () => {
        const conversation = await read(meta, session.provider);
        if (conversation.isPartial) queueMicrotask(() => readWhole(meta.id, session));
        return { kind: 'conversation', conversation };
      });
    },
    whole: async (sessionId) => wholes.get(sessionId)?.(),
  };
}
