import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import type { SessionMeta } from '../../shared/entities.ts';
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
import { type CreateSession, createCreateSession } from './create-session.ts';
import { createForkSession, type ForkSession } from './fork-session.ts';
import type { Announce, OpenSession, SessionLimits } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createPendingSends } from './pending-sends.ts';
import { createSendMessage } from './send-message.ts';
import { createSeqAllocator } from './seq-numbers.ts';
import { directoryOf } from './session-directory.ts';
import { createSessionEndings, PROCESS_GONE } from './session-endings.ts';
import { createSessionFollow } from './session-follow.ts';
import { createSessionListing, type SessionListing } from './session-listing.ts';
import { createSessionManagement, type ForgetSession, type SessionManagement } from './session-management.ts';
import { createSessionOpening, type ReadKept } from './session-opening.ts';
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

export interface SessionService extends SessionListing {
  readonly create: CreateSession;
  load(input: Input<'session:open'>): Promise<Output<'session:open'>>;
  items(input: Input<'session:items'>): Promise<Output<'session:items'>>;
  status(input: Input<'session:status'>): Promise<Output<'session:status'>>;
  warm(input: Input<'session:warm'>): Promise<Output<'session:warm'>>;
  send(input: Input<'session:send'>): Promise<Output<'session:send'>>;
  cancel(input: Input<'session:cancel'>): Promise<Output<'session:cancel'>>;
  stopBackground(input: Input<'session:stop-background'>): Promise<Output<'session:stop-background'>>;
  kill(input: Input<'session:kill'>): Promise<Output<'session:kill'>>;
  archive(input: Input<'session:archive'>): Promise<Output<'session:archive'>>;
  readonly fork: ForkSession;
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
  const projectDirOf = (sessionId: SessionId) => directoryOf(sessions.get(sessionId), projects);
  const isKept = deps.isKept ?? (() => false);
  const view = createSessionView({
    ...{ sessions, announce, isKept },
    open: () => open,
    agents: () => agents,
    factsOf: (meta) => follow.factsOf(meta.id, meta),
  });
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
      facts: () => follow.factsOf(sessionId, sessions.get(sessionId)),
    }),
    onOpened: (sessionId, session, stamp) => follow.opened(sessionId, session, stamp),
    onFailure,
  });
  const { load } = opening;
  const follow = createSessionFollow({
    ...{ registry, clock, watches, open, sessions, journal, projectDirOf, providerOf, onFailure },
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
    refuseIfHeld: follow.refuseIfHeld,
    forget: [journal.remove, follow.forget, ...(deps.forget ?? [])],
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
      if (isDown && !wasDown) void follow.look(id).catch(onFailure);
      view.announce(id);
    }
  }

  function noteChange(sessionId: SessionId): void {
    if (open.get(sessionId) === undefined && !open.isLoading(sessionId)) follow.closed(sessionId);
    view.announce(sessionId);
  }

  /** Not awaited: failing to save the time must not fail a message that was sent. */
  function noteActivity(sessionId: SessionId): void {
    sessions.update(sessionId, { lastActiveAt: clock.now() }).catch(() => undefined);
    open.touch(sessionId);
    view.announce(sessionId);
    management.tellTitle(sessionId);
    follow.noteActivity(sessionId);
  }

  /** Not where another program has the session open. */
  async function warmUp(sessionId: SessionId): Promise<void> {
    const { provider } = await load(sessionId);
    await follow.refuseIfHeld(sessionId);
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
    beforeSend: follow.beforeSend,
    onSent: noteActivity,
  });

  return {
    create: createCreateSession({ ...deps, open, opening, seq, view }),
    ...createSessionListing({ sessions, projects, view }),

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

    fork: createForkSession({ sessions, projects, registry, view, clock, metaOf, onFailure }),

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
      if (session !== undefined) await opening.reload(metaOf(sessionId), session);
      view.announce(sessionId);
    },
    agentStatuses: agents.statuses,

    async close() {
      agents.stop();
      follow.close();
      try {
        await Promise.all(registry.list().map((provider) => provider.close()));
        await Promise.all(open.ids().map((sessionId) => open.get(sessionId)?.drained()));
      } finally {
        open.close();
      }
    },
  };
}
