import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { AgentStatusMessage } from '../../shared/events.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { CliProvider, ProviderStatus } from '../engine/provider-types.ts';
import type { FolderWatches } from '../folder-watches.ts';
import type { Journal } from '../journal/journal.ts';
import { createKeyedQueue } from '../keyed-queue.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import { trackAgents } from './agent-tracker.ts';
import { noteContext, noteOrigin } from './context-lines.ts';
import { createContexts } from './contexts.ts';
import { createFollowFiles } from './follow-files.ts';
import { createForkSession } from './fork-session.ts';
import { createSessionGuard } from './guard.ts';
import { createKeepCurrent } from './keep-current.ts';
import type { Announce, OpenSession, SessionLimits, SnapshotFacts } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createPendingSends } from './pending-sends.ts';
import { NO_CONVERSATION } from './read-conversation.ts';
import { createSendMessage } from './send-message.ts';
import { createSeqAllocator } from './seq-numbers.ts';
import { createSessionEndings, PROCESS_GONE } from './session-endings.ts';
import { createSessionManagement, type ForgetSession, type SessionManagement } from './session-management.ts';
import { createSessionOpening, type ReadKept } from './session-opening.ts';
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
  /** Of the agents' folders. Closed by whoever made it. */
  readonly watches: FolderWatches;
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
  readonly readKept?: ReadKept;
}

export function createSessionService(deps: SessionServiceDeps): SessionService {
  const { sessions, projects, trust, registry, journal, clock, watches, announce, onFailure } = deps;
  const { evictAfterMs, sessionLimits: limits } = deps;
  const projectDirOf = (sessionId: SessionId) => projects.getProject(sessions.get(sessionId)?.projectId ?? '')?.path;
  const isKept = deps.isKept ?? (() => false);
  const view = createSessionView({ sessions, announce, open: () => open, agents: () => agents, isKept, factsOf });
  const open = createOpenSessions({ clock, evictAfterMs, onChange: noteChange });
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
  const opening = createSessionOpening({
    ...{ sessions, projects, journal, open, endings, metaOf, isKept },
    resolve: registry.resolve,
    readKept: deps.readKept,
    optionsOf: (sessionId, provider) => ({
      ...{ sessionId, provider, journal, now: clock.now, seq, limits, announce },
      onActivity: () => noteActivity(sessionId),
      facts: () => factsOf(sessionId),
    }),
    onOpened: noteOpened,
    onFailure,
  });
  const { load } = opening;
  /** Sessions that their agent has opened since the server was started. */
  const openedByAgent = new Set<SessionId>();
  const contexts = createContexts({
    clock,
    read: async (sessionId) => open.get(sessionId)?.provider.readContext(sessionId, projectDirOf(sessionId) ?? ''),
    metaOf: sessions.get,
    wasOpened: (sessionId) => openedByAgent.has(sessionId) || open.get(sessionId)?.provider.isAlive(sessionId) === true,
    onChange(sessionId, context, before) {
      const session = open.get(sessionId);
      if (session !== undefined) noteContext(session, context, before);
      view.announce(sessionId);
    },
    onFailure,
  });
  const files = createFollowFiles({
    watches,
    clock,
    onChange: (sessionId) => void current.look(sessionId).catch(onFailure),
  });
  const guard = createSessionGuard({
    ...{ registry, sessions, clock, onFailure },
    onChange: (sessionId, holder) => void current.followHolder(sessionId, holder).catch(onFailure),
  });
  const current = createKeepCurrent({
    ...{ open, sessions, journal, guard, contexts, files, projectDirOf, providerOf, onFailure },
    pages: limits?.pages,
    whole: opening.whole,
    isSending: inOrder.isBusy,
    announce: view.announce,
  });

  const management = createSessionManagement({
    ...deps,
    open,
    endings,
    view,
    metaOf,
    providerOf,
    isSending: inOrder.isBusy,
    forget: [journal.remove, async (sessionId) => contexts.forget(sessionId), ...(deps.forget ?? [])],
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

  function factsOf(sessionId: SessionId): SnapshotFacts {
    const { context, branches = [] } = contexts.get(sessionId) ?? {};
    const heldBy = guard.holderOf(sessionId);
    return {
      ...(context && { context }),
      ...(heldBy && { heldBy }),
      ...(branches.length > 0 && { branches: [...branches] }),
    };
  }

  function followAgent({ cliType, sessionId }: ProviderStatus, isDown: boolean, wasDown: boolean): void {
    const affected = open
      .ids()
      .filter((id) => id === sessionId || (!sessionId && fromCanonical(id).cliType === cliType));
    for (const id of affected) {
      if (isDown) open.get(id)?.failTurns(PROCESS_GONE);
      // Once: the retries that follow change nothing in the agent's files.
      if (isDown && !wasDown) void current.look(id).catch(onFailure);
      view.announce(id);
    }
  }

  function noteChange(sessionId: SessionId): void {
    if (open.get(sessionId) === undefined && !open.isLoading(sessionId)) current.closed(sessionId);
    view.announce(sessionId);
  }

  function noteOpened(sessionId: SessionId, session: OpenSession, stamp: string | undefined): void {
    current.opened(sessionId, stamp);
    const meta = sessions.get(sessionId);
    if (meta?.origin !== undefined) void noteOrigin(meta, session, { journal, sessions }).catch(onFailure);
  }

  /** Not awaited: failing to save the time must not fail a message that was sent. */
  function noteActivity(sessionId: SessionId): void {
    openedByAgent.add(sessionId);
    sessions.update(sessionId, { lastActiveAt: clock.now() }).catch(() => undefined);
    open.touch(sessionId);
    view.announce(sessionId);
    management.tellTitle(sessionId);
    current.noteActivity(sessionId);
  }

  /** Not where another program has the session open. */
  async function warmUp(sessionId: SessionId): Promise<void> {
    const { provider } = await load(sessionId);
    await guard.refuseIfHeld(sessionId);
    provider.warmUp(sessionId);
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
    beforeSend: current.beforeSend,
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
      await opening.openBy(sessionId, provider, async () => NO_CONVERSATION);
      const seqCeiling = seq.ceiling(sessionId);
      const meta: SessionMeta = { ...facts, archived: false, title: PLACEHOLDER_TITLE, used: false, seqCeiling };
      try {
        await sessions.add(meta);
      } catch (error) {
        await provider.killSession(sessionId).catch(onFailure);
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
      const session = await load(sessionId);
      await opening.whole(sessionId);
      const page = await session.pageBefore(before);
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
      warmUp(sessionId).catch(() => undefined);
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
      end(meta).catch(onFailure);
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
        const session = await opening.ensureOpen(meta);
        await opening.whole(sessionId);
        return { meta, session, release };
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
      await session?.refresh(async () => ({
        kind: 'conversation',
        conversation: await opening.read(metaOf(sessionId), session.provider),
      }));
      view.announce(sessionId);
    },
    agentStatuses: agents.statuses,

    async close() {
      agents.stop();
      guard.close();
      files.close();
      contexts.close();
      try {
        await Promise.all(registry.list().map((provider) => provider.close()));
        await Promise.all(open.ids().map((sessionId) => open.get(sessionId)?.drained()));
      } finally {
        open.close();
      }
    },
  };
}
