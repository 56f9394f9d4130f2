import { type SessionId, toCanonical } from '../../../../shared/ids.ts';
import type { Clock } from '../../../clock.ts';
import type { OpenedSession, OpenRequest, SessionTarget } from '../../../engine/driver.ts';
import type { ForkPoint, Holders } from '../../../engine/native-sessions.ts';
import type { Access } from '../../../engine/permission.ts';
import type { ToldTitle } from '../../../engine/provider-types.ts';
import { createKeyedQueue } from '../../../keyed-queue.ts';
import type { ProcessHost } from '../../../processes/index.ts';
import { withTimeout } from '../../../with-timeout.ts';
import { requireDirectory } from '../../require-directory.ts';
import type { AcpAgent, AgentAccess } from '../agents/acp-agent.ts';
import { type AcpConnection, CLOSE_TIMEOUT_MS } from '../connection/acp-connection.ts';
import { toProviderError, withHolder } from '../connection/acp-errors.ts';
import { createReplay } from '../translate/replay.ts';
import { createProjectFiles } from '../workspace/project-files.ts';
import { createTerminals } from '../workspace/terminals.ts';
import { type AcpSession, type AcpSessionOptions, createAcpSession } from './acp-session.ts';
import type { SessionAliases } from './session-aliases.ts';
import type { SessionIndex } from './session-index.ts';
import type { SessionMemories } from './session-memory.ts';
import { createSessionOpening, type Opening } from './session-opening.ts';
import { createStoredSessions } from './stored-sessions.ts';

export interface ProcessSessionsOptions {
  readonly agent: AcpAgent;
  readonly host: ProcessHost;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly aliases: SessionAliases;
  /** The access with which the process was started. */
  readonly started: AgentAccess;
  readonly memories: SessionMemories;
  /** To say who has a session that the agent refuses to open. */
  readonly holders: Holders | undefined;
  readonly connection: AcpConnection;
  readonly index: SessionIndex;
  readonly endProcesses: AcpSessionOptions['endProcesses'];
  /** The agent can be talked to. */
  readonly isOpen: () => boolean;
  readonly onProblem: (problem: string, error?: unknown) => void;
}

/** Opens and closes the sessions of one agent process. */
export interface ProcessSessions {
  /** Rejects with a ProviderError. */
  open(request: OpenRequest): Promise<OpenedSession>;
  setTitle(target: SessionTarget, title: string): Promise<ToldTitle>;
  deleteConversation(target: SessionTarget): Promise<string | undefined>;
  fork(target: SessionTarget, at: ForkPoint): Promise<string>;
  /** After the process has exited: resolves when all it sent was passed on and its terminals are closed. */
  end(): Promise<void>;
}

export function createProcessSessions(options: ProcessSessionsOptions): ProcessSessions {
  const { agent, clock, connection, index, memories, isOpen } = options;
  const { cliType } = agent;
  const opening = createSessionOpening({ ...options, naming: agent });
  /** By native id: a session is opened and closed at the agent in the order in which that was asked for. */
  const inOrder = createKeyedQueue();
  const prompts = new Set<Promise<void>>();
  /** How often a session was opened without having been attached or released yet. */
  const unsettled = new Map<AcpSession, number>();

  function createSession(nativeId: string, projectDir: string): AcpSession {
    const files = createProjectFiles(projectDir);
    const terminals = createTerminals({ ...options, files, projectDir, label: `${cliType} terminal` });
    const session = createAcpSession({
      ...options,
      nativeId,
      naming: agent,
      files,
      terminals,
      close,
      onPrompt(answered) {
        prompts.add(answered);
        void answered.finally(() => prompts.delete(answered));
      },
    });
    index.add(session);
    return session;
  }

  /** The settings of a project may say something else than those of the user, with which the process was started. */
  async function setMode({ nativeId }: Opening, projectDir: string): Promise<Access> {
    const { started } = options;
    const { access, modeId } = (await agent.readAccess?.(projectDir)) ?? started;
    if (modeId === started.modeId || modeId === undefined) return modeId === undefined ? started.access : access;
    try {
      await connection.setMode(nativeId, modeId);
    } catch (error) {
      throw toProviderError(error, agent);
    }
    return access;
  }

  async function toOpened(found: Opening, sessionId: SessionId, projectDir: string): Promise<OpenedSession> {
    const { nativeId, modelId } = found;
    const session = index.find(nativeId) ?? createSession(nativeId, projectDir);
    unsettled.set(session, (unsettled.get(session) ?? 0) + 1);
    const settle = () => {
      const left = (unsettled.get(session) ?? 0) - 1;
      if (left > 0) unsettled.set(session, left);
      else unsettled.delete(session);
    };
    const release = () => {
      settle();
      void inOrder(nativeId, async () => {
        if (session.isAttached || unsettled.has(session)) return;
        index.remove(session);
        await closeAtAgent(nativeId);
      });
    };
    try {
      const access = await setMode(found, projectDir);
      const attach: OpenedSession['attach'] = (sink) => {
        settle();
        index.add(session);
        return session.attach(sink, memories.of(sessionId), modelId);
      };
      return { nativeId, access, attach, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Waits for an opening under way, but not for longer than closing may take. */
  async function close(session: AcpSession): Promise<void> {
    session.detach();
    index.remove(session);
    const closed = inOrder(session.nativeId, () => closeAtAgent(session.nativeId));
    await Promise.all([session.terminals.close(), withTimeout(clock, CLOSE_TIMEOUT_MS, closed)]);
  }

  async function closeAtAgent(nativeId: string): Promise<void> {
    if (!connection.can.close || !isOpen()) return;
    try {
      await connection.closeSession(nativeId);
    } catch (error) {
      const failure = toProviderError(error, agent);
      if (!isOpen() || failure.code === 'SESSION_NOT_FOUND') return;
      options.onProblem(`${agent.label} did not close a session.`, failure);
    }
  }

  async function load(target: SessionTarget, projectDir: string): Promise<OpenedSession> {
    await requireDirectory(projectDir);
    const request = toRequest(target, projectDir);
    const { sessionId, nativeId } = request;
    const memory = memories.find(sessionId);
    if (memory?.keepsShown) {
      const isOpenHere = index.find(nativeId)?.isAttached === true;
      const found = isOpenHere ? { nativeId, modelId: undefined } : await opening.resume(request);
      return { ...(await toOpened(found, sessionId, projectDir)), history: [...memory.shown.values()] };
    }
    const replay = createReplay({
      sessionId,
      providerId: cliType,
      nativeId: target.nativeId,
      dialect: connection.dialect,
      now: clock.now(),
    });
    const found = await opening.load(request, replay.add);
    return { ...(await toOpened(found, sessionId, projectDir)), history: await replay.history() };
  }

  async function resume(target: SessionTarget, projectDir: string): Promise<OpenedSession> {
    return toOpened(await opening.resume(toRequest(target, projectDir)), target.sessionId, projectDir);
  }

  function toRequest({ sessionId, nativeId, wasUsed }: SessionTarget, projectDir: string) {
    const neverUsed = !wasUsed && memories.find(sessionId)?.wasPrompted !== true;
    return { sessionId, nativeId: options.aliases.find(sessionId) ?? nativeId, projectDir, neverUsed };
  }

  return {
    async open(request) {
      const { mode, projectDir, target } = request;
      if (mode === 'new') {
        const created = await opening.create(projectDir);
        return toOpened(created, toCanonical(cliType, created.nativeId), projectDir);
      }
      const open = mode === 'load' ? load : resume;
      const { nativeId } = toRequest(target, projectDir);
      return inOrder(nativeId, () => open(target, projectDir)).catch(async (error: unknown) => {
        throw await withHolder(error, async () => options.holders?.find(nativeId));
      });
    },
    ...createStoredSessions({ ...options, inOrder }),
    async end() {
      await Promise.allSettled(prompts);
      await Promise.all(index.all().map(({ terminals }) => terminals.close()));
    },
  };
}
