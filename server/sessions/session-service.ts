import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { AgentStatusMessage } from '../../shared/events.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { CliProvider, ProviderStatus } from '../engine/provider-types.ts';
import type { Journal } from '../journal/journal.ts';
import { createKeyedQueue } from '../keyed-queue.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import { trackAgents } from './agent-tracker.ts';
import { createForkSession } from './fork-session.ts';
import { type Announce, type OpenSession, openSession, type SessionLimits } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createPendingSends } from './pending-sends.ts';
import { type Conversation, NO_CONVERSATION, readConversation } from './read-conversation.ts';
import { refreshFromAgent } from './refresh-from-agent.ts';
import { createSendMessage } from './send-message.ts';
import { createSeqAllocator } from './seq-numbers.ts';
import { createSessionEndings, PROCESS_GONE } from './session-endings.ts';
import { createSessionManagement, type ForgetSession, type SessionManagement } from './session-management.ts';
import { projectForSession } from './session-project.ts';
import type { SessionStore } from './session-store.ts';
import { createSessionView, type SessionView } from './session-view.ts';

type SessionCommand = Extract<CommandName, `session:${string}`>;
type Input<N extends SessionCommand> = CommandInput<N>;
type Output<N extends SessionCommand> = CommandOutput<N>;

export type JoinedSession = Pick<OpenSession, 'history' | 'eventsSince'>;

export interface ReadSession {
  readonly meta: SessionMeta;
  readonly session: Pick<OpenSession, 'provider' | 'history' | 'pageBefore'>;
  release(): void;
}

export interface SessionService {
  create(input: Input<'session:create'>): Promise<Output<'session:create'>>;
  load(input: Input<'session:open'>): Promise<Output<'session:open'>>;
  items(input: Input<'session:items'>): Promise<Output<'session:items'>>;
  list(input: Input<'session:list'>): Promise<Output<'session:list'>>;
  listAll(input: Input<'session:list-all'>): Promise<Output<'session:list-all'>>;
  status(input: Input<'session:status'>): Promise<Output<'session:status'>>;
  warm(input: Input<'session:warm'>): Promise<Output<'session:warm'>>;
  send(input: Input<'session:send'>): Promise<Output<'session:send'>>;
  cancel(input: Input<'session:cancel'>): Promise<Output<'session:cancel'>>;
  stopBackground(input: Input<'session:stop-background'>): Promise<Output<'session:stop-background'>>;
  kill(input: Input<'session:kill'>): Promise<Output<'session:kill'>>;
  archive(input: Input<'session:archive'>): Promise<Output<'session:archive'>>;
  fork(input: Input<'session:fork'>): Promise<Output<'session:fork'>>;
  reconnect(input: Input<'session:reconnect'>): Promise<Output<'session:reconnect'>>;
  readonly manage: Omit<SessionManagement, 'tellTitle'>;
  /**
   * Loads a session and calls `take` with it. A window that is sent the snapshot, or the events since a number, and is
   * registered for announcements inside `take` misses nothing and gets nothing twice.
   */
  join(sessionId: SessionId, take: (session: JoinedSession) => void): Promise<void>;
  /** Opens a session, archived or not, to read all of it. It stays in memory until `release` is called. */
  read(sessionId: SessionId): Promise<ReadSession>;
  /** Keeps a session in memory until the returned function is called. */
  watch(sessionId: SessionId): () => void;
  /** Tells all windows how a session is listed now. */
  announce(sessionId: SessionId): void;
  announceFound: SessionView['announceFound'];
  /** Looks again at what the agent has of a session, after its files were put back. */
  reload(sessionId: SessionId): Promise<void>;
  /** The status of every agent. */
  agentStatuses(): readonly AgentStatusMessage[];
  close(): Promise<void>;
}

export interface SessionServiceDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly trust: ProjectTrust;
  readonly registry: ProviderRegistry;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly announce: Announce;
  /** Called for failures that no caller waits for. */
  readonly onFailure: (error: unknown) => void;
  /** How long an unwatched, idle session stays in memory. */
  readonly evictAfterMs: number;
  readonly sessionLimits?: SessionLimits;
  /** What else is kept of a session and has to be forgotten when it is deleted. */
  readonly forget?: readonly ForgetSession[];
  /** Whether there is a copy of the agent's transcript. */
  readonly isKept?: (sessionId: SessionId) => boolean;
  /** Calls `read` with a directory that has the copied files as the agent's home has them. Undefined without a copy. */
  readonly readKept?: <T>(sessionId: SessionId, read: (home: string) => Promise<T>) => Promise<T | undefined>;
}

export function createSessionService(deps: SessionServiceDeps): SessionService {
  const { sessions, projects, trust, registry, journal, clock, announce, evictAfterMs, sessionLimits: limits } = deps;
  const view = createSessionView({
    sessions,
    announce,
    open: () => open,
    agents: () => agents,
    isKept: deps.isKept ?? (() => false),
  });
  const open = createOpenSessions({ clock, evictAfterMs, onChange: view.announce });
  const agents = trackAgents(registry, announce, followAgent);
  const endings = createSessionEndings({ open, providerOf });
  const inOrder = createKeyedQueue();
  const pendingSends = createPendingSends();
  const seq = createSeqAllocator({
    ceilingOf: (sessionId) => sessions.get(sessionId)?.seqCeiling,
    // A new session is saved together with its ceiling.
    save: async (sessionId, seqCeiling) => {
      if (sessions.get(sessionId) !== undefined) await sessions.updateNow(sessionId, { seqCeiling });
    },
  });

  const management = createSessionManagement({
    ...deps,
    open,
    endings,
    view,
    metaOf,
    providerOf,
    isSending: inOrder.isBusy,
    forget: [journal.remove, ...(deps.forget ?? [])],
  });

  function metaOf(sessionId: SessionId): SessionMeta {
    const meta = sessions.get(sessionId);
    if (meta === undefined || meta.archived) throw new AppError('SESSION_NOT_FOUND');
    return meta;
  }

  /** Undefined for an agent that is no longer configured. Its sessions can still be listed, ended and archived. */
  function providerOf(cliType: string): CliProvider | undefined {
    return registry.list().find((provider) => provider.cliType === cliType);
  }

  function followAgent({ cliType, sessionId }: ProviderStatus, isDown: boolean, wasDown: boolean): void {
    const affected = open
      .ids()
      .filter((id) => id === sessionId || (!sessionId && fromCanonical(id).cliType === cliType));
    for (const id of affected) {
      if (isDown) open.get(id)?.failTurns(PROCESS_GONE);
      // Once: the retries that follow change nothing in the agent's files.
      if (isDown && !wasDown) void refresh(id).catch(deps.onFailure);
      view.announce(id);
    }
  }

  /** After a process has ended, shows what its agent has of the conversation. */
  async function refresh(sessionId: SessionId): Promise<void> {
    const session = open.get(sessionId);
    const project = projects.getProject(sessions.get(sessionId)?.projectId ?? '');
    if (session === undefined || project === undefined) return;
    await session.drained();
    await session.refresh(() =>
      refreshFromAgent({ sessionId, journal, gaps: session.provider.historyGaps, pages: limits?.pages }, () =>
        session.provider.readHistory(sessionId, { projectDir: project.path }),
      ),
    );
  }

  /** Not awaited: failing to save the time must not fail a message that was sent. */
  function noteActivity(sessionId: SessionId): void {
    sessions.update(sessionId, { lastActiveAt: clock.now() }).catch(() => undefined);
    open.touch(sessionId);
    view.announce(sessionId);
    management.tellTitle(sessionId);
  }

  function openBy(sessionId: SessionId, provider: CliProvider, load: () => Promise<Conversation>) {
    const onActivity = () => noteActivity(sessionId);
    return open.ensure(sessionId, () =>
      openSession({ sessionId, provider, journal, now: clock.now, seq, limits, announce, onActivity }, load),
    );
  }

  /** The conversation as we keep it, brought up to date with what the agent has. */
  function conversationOf(meta: SessionMeta, provider: CliProvider): Promise<Conversation> {
    const { id: sessionId, projectId } = meta;
    const projectDir = projects.getProject(projectId)?.path ?? '';
    const readCopy = () =>
      deps.readKept?.(
        sessionId,
        async (home) => (await provider.readHistory(sessionId, { projectDir, home }))?.history,
      ) ?? Promise.resolve(undefined);
    const { historyGaps: gaps } = provider;
    return readConversation({ sessionId, journal, now: clock.now, gaps, pages: limits?.pages, readCopy }, (kept) =>
      provider.loadSession(sessionId, {
        projectDir,
        // An agent that was killed in its first turn may not have stored the session.
        neverUsed: !isUsed(meta) || kept?.hasCompleted === false,
        isKept: kept !== undefined || (deps.isKept?.(sessionId) ?? false),
        stamp: kept?.stamp,
      }),
    );
  }

  async function ensureOpen(meta: SessionMeta): Promise<OpenSession> {
    const known = open.get(meta.id);
    if (known !== undefined) return known;
    const provider = registry.resolve(meta.cliType);
    if (projects.getProject(meta.projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
    return openBy(meta.id, provider, () => conversationOf(meta, provider));
  }

  /** Does not queue behind messages, which may wait for a process; waits only for an earlier kill or archive. */
  async function load(sessionId: SessionId): Promise<OpenSession> {
    metaOf(sessionId);
    await endings.settled(sessionId);
    return ensureOpen(metaOf(sessionId));
  }

  /** Older versions did not store the flag. For their sessions it is derived once. */
  function isUsed({ id, used, title, lastActiveAt, createdAt }: SessionMeta): boolean {
    if (used !== undefined) return used;
    const guess = title !== PLACEHOLDER_TITLE || lastActiveAt !== createdAt;
    sessions.update(id, { used: guess }).catch(() => undefined);
    return guess;
  }

  async function end(meta: SessionMeta): Promise<void> {
    pendingSends.cancel(meta.id);
    await endings.end(meta);
  }

  const send = createSendMessage({
    ...{ sessions, trust, journal, open, pendingSends, inOrder, announce },
    newId: deps.newId,
    metaOf,
    load,
    onSent: noteActivity,
  });

  return {
    async create(input) {
      const provider = registry.resolve(input.cliType);
      const { id: projectId, path: projectDir } = await projectForSession(input, projects, trust, announce);
      await trust.check(projectId, input.ask);
      const created = await provider.createSession({ projectDir }).catch(async (error: unknown) => {
        throw await trust.explain(projectId, error);
      });
      const { sessionId, cliType } = created;
      const now = clock.now();
      const facts = { id: sessionId, projectId, cliType, createdAt: now, lastActiveAt: now };
      // Subscribe before saving, so that a slow disk does not lose the agent's first events.
      await openBy(sessionId, provider, async () => NO_CONVERSATION);
      const seqCeiling = seq.ceiling(sessionId);
      const meta: SessionMeta = { ...facts, archived: false, title: PLACEHOLDER_TITLE, used: false, seqCeiling };
      try {
        await sessions.add(meta);
      } catch (error) {
        await provider.killSession(sessionId).catch(deps.onFailure);
        open.drop(sessionId);
        throw error;
      }
      return { sessionId, cliType, projectId, session: view.item(meta) };
    },

    async load({ sessionId }) {
      const { provider } = await load(sessionId);
      return { sessionId, cliType: provider.cliType };
    },

    async items({ sessionId, before }) {
      const page = await (await load(sessionId)).pageBefore(before);
      if (page === undefined) throw new AppError('ITEM_NOT_FOUND');
      return { sessionId, ...page };
    },

    async list({ projectId, archived }) {
      if (projects.getProject(projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
      const listed = archived === undefined ? sessions.list(projectId) : sessions.listArchived(projectId);
      return { projectId, sessions: listed.map(view.item) };
    },

    async listAll({ after }) {
      const known = new Set(projects.listProjects().map(({ id }) => id));
      const page = sessions.page(after, ({ projectId }) => known.has(projectId));
      if (page === undefined) throw new AppError('SESSION_NOT_FOUND');
      const archived = page.more ? {} : sessions.archivedCounts();
      const hasCounts = Object.keys(archived).length > 0;
      return { sessions: page.sessions.map(view.item), more: page.more, ...(hasCounts && { archived }) };
    },

    async status({ sessionId }) {
      const { cliType } = metaOf(sessionId);
      const isAlive = providerOf(cliType)?.isAlive(sessionId) ?? false;
      return { sessionId, cliType, isAlive, state: view.state(sessionId), running: view.isRunning(sessionId) };
    },

    async warm({ sessionId }) {
      metaOf(sessionId);
      load(sessionId).then(
        ({ provider }) => provider.warmUp(sessionId),
        () => undefined,
      );
      return { sessionId };
    },

    send,

    async cancel({ sessionId }) {
      const { cliType } = metaOf(sessionId);
      pendingSends.cancel(sessionId);
      const isInMemory = open.get(sessionId) !== undefined || open.isLoading(sessionId);
      if (isInMemory) await providerOf(cliType)?.cancelTurn(sessionId);
      return { sessionId };
    },

    async stopBackground({ sessionId, itemId }) {
      metaOf(sessionId);
      await open.get(sessionId)?.provider.stopBackground(sessionId, itemId);
      return { sessionId };
    },

    async kill({ sessionId }) {
      await end(metaOf(sessionId));
      return { sessionId };
    },

    async archive({ sessionId }) {
      const meta = metaOf(sessionId);
      try {
        await sessions.updateNow(sessionId, { archived: true });
      } catch (error) {
        sessions.update(sessionId, { archived: false }).catch(() => undefined);
        throw error;
      }
      // Not awaited: the session has left the list, and a stubborn process may take five seconds to end.
      end(meta).catch(deps.onFailure);
      return { sessionId };
    },

    async reconnect({ sessionId, cliType }) {
      const type = sessionId === undefined ? (cliType ?? '') : metaOf(sessionId).cliType;
      await registry.resolve(type).reconnect(sessionId);
      return { cliType: type, ...(sessionId === undefined ? {} : { sessionId }) };
    },

    fork: createForkSession({ sessions, projects, registry, view, clock, metaOf }),

    manage: management,

    async join(sessionId, take) {
      take(await load(sessionId));
    },

    async read(sessionId) {
      const find = () => sessions.get(sessionId) ?? metaOf(sessionId);
      find();
      await endings.settled(sessionId);
      const meta = find();
      const release = open.watch(sessionId);
      try {
        return { meta, session: await ensureOpen(meta), release };
      } catch (error) {
        release();
        throw error;
      }
    },

    watch: (sessionId) => open.watch(sessionId),
    announce: view.announce,
    announceFound: view.announceFound,
    async reload(sessionId) {
      const session = open.get(sessionId);
      await session?.drained();
      await session?.refresh(() => conversationOf(metaOf(sessionId), session.provider));
      view.announce(sessionId);
    },
    agentStatuses: agents.statuses,

    async close() {
      agents.stop();
      try {
        await Promise.all(registry.list().map((provider) => provider.close()));
        await Promise.all(open.ids().map((sessionId) => open.get(sessionId)?.drained()));
      } finally {
        open.close();
      }
    },
  };
}
