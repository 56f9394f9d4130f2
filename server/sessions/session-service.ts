import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import { AppError, toErrorBody } from '../../shared/errors.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { AgentStatusMessage, HistoryMessage } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { CliProvider, ProviderSession, ProviderStatus } from '../engine/provider-types.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import { trackAgents } from './agent-tracker.ts';
import { type OpenSession, openSession } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createSerialQueues } from './serial-queue.ts';
import { createSessionEndings, PROCESS_GONE } from './session-endings.ts';
import type { Announce } from './session-events.ts';
import { projectForSession } from './session-project.ts';
import type { SessionStore } from './session-store.ts';
import { createSessionView } from './session-view.ts';
import { deriveTitle } from './titles.ts';

type SessionCommand = Extract<CommandName, `session:${string}`>;
type Input<N extends SessionCommand> = CommandInput<N>;
type Output<N extends SessionCommand> = CommandOutput<N>;

export interface SessionService {
  create(input: Input<'session:create'>): Promise<Output<'session:create'>>;
  load(input: Input<'session:open'>): Promise<Output<'session:open'>>;
  list(input: Input<'session:list'>): Promise<Output<'session:list'>>;
  status(input: Input<'session:status'>): Promise<Output<'session:status'>>;
  send(input: Input<'session:send'>): Promise<Output<'session:send'>>;
  cancel(input: Input<'session:cancel'>): Promise<Output<'session:cancel'>>;
  kill(input: Input<'session:kill'>): Promise<Output<'session:kill'>>;
  archive(input: Input<'session:archive'>): Promise<Output<'session:archive'>>;
  reconnect(input: Input<'session:reconnect'>): Promise<Output<'session:reconnect'>>;
  /**
   * Loads a session and calls `take` with its snapshot, in the same tick in which later announcements begin to count:
   * who registers for them inside `take` misses nothing and gets nothing twice.
   */
  join(sessionId: SessionId, take: (history: HistoryMessage) => void): Promise<void>;
  /** Keeps a session in memory until the answer is called. */
  watch(sessionId: SessionId): () => void;
  /** How every agent stands. */
  agentStatuses(): readonly AgentStatusMessage[];
  close(): Promise<void>;
}

export interface SessionServiceDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly announce: Announce;
  /** Told of failures that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
  /** How long an unwatched, idle session stays in memory. */
  readonly evictAfterMs: number;
}

export function createSessionService(deps: SessionServiceDeps): SessionService {
  const { sessions, projects, registry, clock, announce, evictAfterMs } = deps;
  const view = createSessionView({ sessions, announce, open: () => open, agents: () => agents });
  const open = createOpenSessions({ clock, evictAfterMs, onChange: view.announce });
  const agents = trackAgents(registry, announce, followAgent);
  const inLine = createSerialQueues();
  const endings = createSessionEndings({ open, inLine, providerOf });

  function metaOf(sessionId: SessionId): SessionMeta {
    const meta = sessions.get(sessionId);
    if (meta === undefined || meta.archived) throw new AppError('SESSION_NOT_FOUND');
    return meta;
  }

  /** Undefined for an agent that is no longer configured: its sessions can be listed, ended and archived all the same. */
  function providerOf(cliType: string): CliProvider | undefined {
    return registry.list().find((provider) => provider.cliType === cliType);
  }

  function followAgent({ cliType, sessionId }: ProviderStatus, isDown: boolean): void {
    const affected = open
      .ids()
      .filter((id) => id === sessionId || (!sessionId && fromCanonical(id).cliType === cliType));
    for (const id of affected) view.announce(id);
    // The provider has its say first: it may end the turns only after it reported the process.
    if (!isDown) return;
    queueMicrotask(() => {
      for (const id of affected) open.get(id)?.failTurns(PROCESS_GONE);
    });
  }

  /** Not waited for: a lost time of last activity is not worth failing a message that went out. */
  function noteActivity(sessionId: SessionId): void {
    sessions.update(sessionId, { lastActiveAt: clock.now() }).catch(() => undefined);
    open.touch(sessionId);
    view.announce(sessionId);
  }

  function openBy(sessionId: SessionId, provider: CliProvider, load: () => Promise<ProviderSession>) {
    const onActivity = () => noteActivity(sessionId);
    return open.ensure(sessionId, () =>
      openSession({ sessionId, provider, now: clock.now, announce, onActivity }, load),
    );
  }

  async function ensureOpen({ id, cliType, projectId, ...meta }: SessionMeta): Promise<OpenSession> {
    const known = open.get(id);
    if (known !== undefined) return known;
    const provider = registry.resolve(cliType);
    const project = projects.getProject(projectId);
    if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
    const neverUsed = meta.title === PLACEHOLDER_TITLE && meta.lastActiveAt === meta.createdAt;
    return openBy(id, provider, () => provider.loadSession(id, { projectDir: project.path, neverUsed }));
  }

  /** Does not wait behind messages, which may wait for a process; only behind an end that was asked for before. */
  async function load(sessionId: SessionId): Promise<OpenSession> {
    const run = async () => ensureOpen(metaOf(sessionId));
    return endings.isEnding(sessionId) ? inLine(sessionId, run) : run();
  }

  function nameByFirstMessage(sessionId: SessionId, content: string): void {
    if (sessions.get(sessionId)?.title !== PLACEHOLDER_TITLE) return;
    const title = deriveTitle(content);
    if (title === PLACEHOLDER_TITLE) return;
    sessions.update(sessionId, { title }).catch(() => undefined);
    announce({ to: 'all', message: { type: 'session:title-updated', sessionId, title } });
  }

  return {
    async create(input) {
      const provider = registry.resolve(input.cliType);
      const { id: projectId, path: projectDir } = await projectForSession(input, projects, announce);
      const created = await provider.createSession({ projectDir });
      const { sessionId, cliType } = created;
      const now = clock.now();
      const facts = { id: sessionId, projectId, cliType, createdAt: now, lastActiveAt: now };
      const meta: SessionMeta = { ...facts, archived: false, title: PLACEHOLDER_TITLE };
      // Listened to before it is saved: a slow disk must not swallow what the agent says first.
      await openBy(sessionId, provider, async () => created);
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

    async list({ projectId }) {
      if (projects.getProject(projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
      return { projectId, sessions: sessions.list(projectId).map(view.item) };
    },

    async status({ sessionId }) {
      const { cliType } = metaOf(sessionId);
      const isAlive = providerOf(cliType)?.isAlive(sessionId) ?? false;
      return { sessionId, cliType, isAlive, state: view.state(sessionId), running: view.isRunning(sessionId) };
    },

    send({ sessionId, content }) {
      return inLine(sessionId, async () => {
        const session = await ensureOpen(metaOf(sessionId));
        const stopWatching = open.watch(sessionId);
        const turnId = deps.newId();
        try {
          const bound = await session.provider.sendMessage(sessionId, content, { turnId });
          nameByFirstMessage(sessionId, content);
          noteActivity(sessionId);
          return { sessionId, turnId: bound.turnId };
        } catch (error) {
          session.failTurns(toErrorBody(error), turnId);
          throw error;
        } finally {
          stopWatching();
        }
      });
    },

    cancel({ sessionId }) {
      return inLine(sessionId, async () => {
        metaOf(sessionId);
        await open.get(sessionId)?.provider.cancelTurn(sessionId);
        return { sessionId };
      });
    },

    async kill({ sessionId }) {
      await endings.end(metaOf(sessionId));
      return { sessionId };
    },

    async archive({ sessionId }) {
      const meta = metaOf(sessionId);
      try {
        await Promise.all([sessions.update(sessionId, { archived: true }), sessions.flush()]);
      } catch (error) {
        sessions.update(sessionId, { archived: false }).catch(() => undefined);
        throw error;
      }
      // Not waited for: it is gone from the list now, while a stubborn process may take its five seconds to end.
      endings.end(meta).catch(deps.onFailure);
      return { sessionId };
    },

    async reconnect({ sessionId, cliType }) {
      const type = sessionId === undefined ? (cliType ?? '') : metaOf(sessionId).cliType;
      await registry.resolve(type).reconnect(sessionId);
      return { cliType: type, ...(sessionId === undefined ? {} : { sessionId }) };
    },

    async join(sessionId, take) {
      const session = await load(sessionId);
      take(session.history());
    },

    watch: (sessionId) => open.watch(sessionId),
    agentStatuses: agents.statuses,

    async close() {
      agents.stop();
      await Promise.all(registry.list().map((provider) => provider.close())).finally(open.close);
    },
  };
}
