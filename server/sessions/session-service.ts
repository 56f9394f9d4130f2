import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type Project, type SessionListItem, type SessionMeta } from '../../shared/entities.ts';
import { AppError, toErrorBody } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { HistoryMessage } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { ProviderRegistry } from '../providers/provider-registry.ts';
import type { CliProvider, ProviderSession } from '../providers/provider-types.ts';
import { trackAgents } from './agent-tracker.ts';
import { type OpenSession, openSession } from './open-session.ts';
import { createOpenSessions } from './open-sessions.ts';
import { createSerialQueue, type SerialQueue } from './serial-queue.ts';
import type { Announce } from './session-events.ts';
import type { SessionStore } from './session-store.ts';
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
  readonly evictAfterMs?: number;
}

export function createSessionService(deps: SessionServiceDeps): SessionService {
  const { sessions, projects, registry, clock, announce } = deps;
  const open = createOpenSessions({ clock, evictAfterMs: deps.evictAfterMs ?? 5 * 60_000 });
  const queues = new Map<SessionId, SerialQueue>();
  const agents = trackAgents(registry, announce, (sessionId) => announceChange(sessionId));

  function metaOf(sessionId: SessionId): SessionMeta {
    const meta = sessions.get(sessionId);
    if (meta === undefined || meta.archived) throw new AppError('SESSION_NOT_FOUND');
    return meta;
  }

  function queueOf(sessionId: SessionId): SerialQueue {
    const known = queues.get(sessionId);
    if (known !== undefined) return known;
    const queue = createSerialQueue();
    queues.set(sessionId, queue);
    return queue;
  }

  function listItem(meta: SessionMeta): SessionListItem {
    const { id, projectId, cliType, title, lastActiveAt, createdAt } = meta;
    const running = open.get(id)?.isRunning() ?? false;
    return { id, sessionId: id, projectId, cliType, title, lastActiveAt, createdAt, state: stateOf(id), running };
  }

  function stateOf(sessionId: SessionId): SessionListItem['state'] {
    if (open.isLoading(sessionId)) return 'loading';
    if (open.get(sessionId) === undefined) return 'closed';
    return agents.isDown(sessionId) ? 'dead' : 'open';
  }

  function announceChange(sessionId: SessionId): void {
    const meta = sessions.get(sessionId);
    if (meta === undefined || meta.archived) return;
    announce({ to: 'all', message: { type: 'session:changed', sessionId, session: listItem(meta) } });
  }

  /** For what is confirmed to the user: on the disk before the answer goes out. */
  async function saveNow(write: Promise<void>): Promise<void> {
    await Promise.all([write, sessions.flush()]);
  }

  /** Not waited for: a lost time of last activity is not worth failing a message that went out. */
  function noteActivity(sessionId: SessionId): void {
    sessions.update(sessionId, { lastActiveAt: clock.now() }).catch(() => undefined);
    open.touch(sessionId);
    announceChange(sessionId);
  }

  function openBy(sessionId: SessionId, provider: CliProvider, load: () => Promise<ProviderSession>) {
    return open.ensure(sessionId, () =>
      openSession({ sessionId, provider, now: clock.now, announce, onActivity: () => noteActivity(sessionId) }, load),
    );
  }

  async function ensureOpen(meta: SessionMeta): Promise<OpenSession> {
    const known = open.get(meta.id);
    if (known !== undefined) return known;
    const provider = registry.resolve(meta.cliType);
    const project = projects.getProject(meta.projectId);
    if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
    const options = { projectDir: project.path, neverUsed: meta.title === PLACEHOLDER_TITLE };
    const loaded = openBy(meta.id, provider, () => provider.loadSession(meta.id, options));
    announceChange(meta.id);
    try {
      return await loaded;
    } finally {
      announceChange(meta.id);
    }
  }

  async function findOrAddProject(path: string): Promise<Project> {
    const known = await projects.findByPath(path);
    if (known !== undefined) return known;
    const project = await projects.addProject(path);
    announce({ to: 'all', message: { type: 'project:added', project } });
    return project;
  }

  async function projectFor(input: Input<'session:create'>): Promise<Project> {
    if (input.projectDir !== undefined) return findOrAddProject(input.projectDir);
    const project = projects.getProject(input.projectId ?? '');
    if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
    return project;
  }

  async function nameByFirstMessage(sessionId: SessionId, content: string): Promise<void> {
    if (sessions.get(sessionId)?.title !== PLACEHOLDER_TITLE) return;
    const title = deriveTitle(content);
    if (title === PLACEHOLDER_TITLE) return;
    sessions.update(sessionId, { title }).catch(() => undefined);
    announce({ to: 'all', message: { type: 'session:title-updated', sessionId, title } });
  }

  /** Twice: at once, so that a load or a send under way fails fast, and again after them, for what they had started. */
  async function endSession(meta: SessionMeta): Promise<void> {
    const provider = registry.resolve(meta.cliType);
    await provider.killSession(meta.id);
    await queueOf(meta.id).run(async () => {
      await open.settled(meta.id);
      await provider.killSession(meta.id);
      open.drop(meta.id);
    });
    announceChange(meta.id);
  }

  return {
    async create(input) {
      const provider = registry.resolve(input.cliType);
      const project = await projectFor(input);
      const created = await provider.createSession({ projectDir: project.path });
      const { sessionId, cliType } = created;
      const now = clock.now();
      const meta: SessionMeta = {
        id: sessionId,
        projectId: project.id,
        cliType,
        archived: false,
        title: PLACEHOLDER_TITLE,
        lastActiveAt: now,
        createdAt: now,
      };
      try {
        await saveNow(sessions.add(meta));
      } catch (error) {
        sessions.update(sessionId, { archived: true }).catch(() => undefined);
        await provider.killSession(sessionId);
        throw error;
      }
      await openBy(sessionId, provider, async () => created);
      return { sessionId, cliType, projectId: project.id, session: listItem(meta) };
    },

    async load({ sessionId }) {
      const meta = metaOf(sessionId);
      await ensureOpen(meta);
      return { sessionId, cliType: meta.cliType };
    },

    async list({ projectId }) {
      if (projects.getProject(projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
      return { projectId, sessions: sessions.list(projectId).map(listItem) };
    },

    async status({ sessionId }) {
      const { cliType } = metaOf(sessionId);
      const isAlive = registry.resolve(cliType).isAlive(sessionId);
      const running = open.get(sessionId)?.isRunning() ?? false;
      return { sessionId, cliType, isAlive, state: stateOf(sessionId), running };
    },

    send({ sessionId, content }) {
      return queueOf(sessionId).run(async () => {
        const session = await ensureOpen(metaOf(sessionId));
        const turnId = deps.newId();
        try {
          await session.provider.sendMessage(sessionId, content, { turnId });
        } catch (error) {
          session.failTurn(turnId, toErrorBody(error));
          throw error;
        }
        await nameByFirstMessage(sessionId, content);
        noteActivity(sessionId);
        return { sessionId, turnId };
      });
    },

    cancel({ sessionId }) {
      return queueOf(sessionId).run(async () => {
        metaOf(sessionId);
        await open.get(sessionId)?.provider.cancelTurn(sessionId);
        return { sessionId };
      });
    },

    async kill({ sessionId }) {
      await endSession(metaOf(sessionId));
      return { sessionId };
    },

    async archive({ sessionId }) {
      const meta = metaOf(sessionId);
      await saveNow(sessions.update(sessionId, { archived: true }));
      // Not waited for: it is gone from the list now, while a stubborn process may take its five seconds to end.
      endSession(meta)
        .then(() => queues.delete(sessionId))
        .catch(deps.onFailure);
      return { sessionId };
    },

    async reconnect({ sessionId, cliType }) {
      const type = sessionId === undefined ? (cliType ?? '') : metaOf(sessionId).cliType;
      await registry.resolve(type).reconnect(sessionId);
      return { cliType: type, ...(sessionId === undefined ? {} : { sessionId }) };
    },

    async join(sessionId, take) {
      const session = await ensureOpen(metaOf(sessionId));
      take(session.history());
    },

    watch: (sessionId) => open.watch(sessionId),

    async close() {
      agents.stop();
      await Promise.all(registry.list().map((provider) => provider.close()));
      open.close();
    },
  };
}
