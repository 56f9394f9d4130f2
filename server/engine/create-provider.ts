import { randomUUID } from 'node:crypto';
import { fromCanonical, type SessionId, toCanonical } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import { isTurnEnd } from '../../shared/turns.ts';
import { abortable } from '../abortable.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type AgentSession, createAgentSession } from './agent-session.ts';
import type { Driver, SessionTarget } from './driver.ts';
import { followTrust } from './follow-trust.ts';
import { createIdleProcess } from './idle-process.ts';
import { createInquiry } from './inquiry.ts';
import { createListeners } from './listeners.ts';
import { createNativeConversations } from './native-conversations.ts';
import type { ToldList } from './native-sessions.ts';
import { openInProcess } from './open-in-process.ts';
import { createPendingLoads } from './pending-loads.ts';
import { type Access, type DecidePermission, decidePermission as decideByAccess, NORMAL_ACCESS } from './permission.ts';
import { createProcessKeeper, type ProcessKeeper } from './process-keeper.ts';
import { type Admission, type AllowedIn, createProjectGate, guardDriver } from './project-gate.ts';
import { ProviderError } from './provider-errors.ts';
import { toProviderStatus } from './provider-status.ts';
import type { CliProvider, LoadSessionOptions, ProviderSession, ProviderStatus } from './provider-types.ts';
import { createSessionListeners } from './session-listeners.ts';
import type { Ending } from './session-turns.ts';
import { createSleepPolicy } from './sleep-policy.ts';
import { createSpare } from './spare.ts';
import { createStaleProcess } from './stale-process.ts';

export interface EngineOptions {
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly decidePermission?: DecidePermission;
  /** How long a process may take to get ready. */
  readonly startTimeoutMs?: number;
  /** When a silent turn is ended; never while a tool runs or a permission request is open. */
  readonly promptTimeoutMs?: number;
  /** How long an agent may take to end a cancelled turn. */
  readonly cancelGraceMs?: number;
  /** How long a session may be idle before it sleeps. */
  readonly sleepAfterMs?: number;
  /** If more sessions than this have their own process, the least recently used idle one sleeps. */
  readonly maxAwake?: number;
  /** Keep a warmed process for the next new session, if the driver has the trait. */
  readonly spare?: boolean;
  /** Default: nothing of a project may run. */
  readonly allowedIn?: AllowedIn;
  /** Called for failures that no caller waits for. */
  readonly onProblem: (message: string, error?: unknown) => void;
}

interface OpenSession {
  readonly session: AgentSession;
  readonly keeper: ProcessKeeper;
}

const SPARE_DELAY_MS = 500;

const SHUT_DOWN: Ending = {
  code: 'PROCESS_CRASH',
  message: 'Liminal Builder was stopped while this turn was running. Start it and send the message again.',
};

/** Runs all sessions of one agent. The driver contains what differs between agents. */
export function createProvider(unguarded: Driver, options: EngineOptions): CliProvider {
  const { cliType, label, traits } = unguarded;
  const gate = createProjectGate(unguarded, options.allowedIn ?? (() => new Set()));
  const driver = guardDriver(unguarded, gate);
  const { clock = systemClock, newId = randomUUID, decidePermission = decideByAccess, onProblem } = options;
  const { startTimeoutMs = 15_000, promptTimeoutMs = 600_000, cancelGraceMs = 5_000 } = options;
  const { sleepAfterMs = 15 * 60_000, maxAwake = 8 } = options;
  const onListenerFailure = (error: unknown) => onProblem(`A listener of ${label} failed.`, error);
  const listeners = createSessionListeners(onListenerFailure);
  const statusListeners = createListeners<ProviderStatus>(onListenerFailure);
  const sessions = new Map<SessionId, OpenSession>();
  const closing = new Map<SessionId, Promise<void>>();
  const loads = createPendingLoads();
  const spare =
    traits.spare && options.spare !== false
      ? createSpare({ driver, clock, newId, delayMs: SPARE_DELAY_MS, keepMs: sleepAfterMs, startTimeoutMs })
      : undefined;
  /** Sessions in use whose process was not ready yet. */
  const inUse = new Set<SessionId>();
  let creating = 0;
  let isClosed = false;

  const sleepPolicy = createSleepPolicy<SessionId>({
    clock,
    sleepAfterMs: Math.min(sleepAfterMs, traits.closeIdleAfterMs ?? sleepAfterMs),
    maxAwake: traits.sharedProcess ? Number.POSITIVE_INFINITY : maxAwake,
    isIdle: (sessionId) => sessions.get(sessionId)?.session.isIdle() ?? false,
    putToSleep: (sessionId) => void putToSleep(sessionId),
  });

  const shared = traits.sharedProcess
    ? createProcessKeeper({
        label,
        clock,
        startTimeoutMs,
        launch: (signal) => driver.launch(undefined, signal),
        onStatus(status) {
          statusListeners.emit(toProviderStatus(cliType, status));
          if (status.status === 'connected') inquiry?.ready();
        },
        onEnded(end) {
          for (const { session } of sessions.values()) session.detach(end);
        },
      })
    : undefined;

  const idleProcess =
    shared && createIdleProcess({ keeper: shared, clock, idleMs: sleepAfterMs, isNeeded: isSharedNeeded });

  const toldListeners = createListeners<ToldList>(onListenerFailure);
  const { toldIdOf } = driver;
  const inquiry = shared && toldIdOf && createInquiry({ keeper: shared, clock, onTold: toldListeners.emit });

  const stale = shared && createStaleProcess(shared, () => [...sessions.values()].map(({ session }) => session));

  function onReady(sessionId: SessionId): void {
    const opened = sessions.get(sessionId);
    if (opened === undefined) return;
    // After an automatic restart, open the link as well.
    opened.session.wake().catch(() => {});
    if (inUse.delete(sessionId)) spare?.prepare(opened.session.target().projectDir);
  }

  /** Prepares a spare for the directory of a session, but not before its own process is ready. */
  function prepareSpare(sessionId: SessionId): void {
    const opened = sessions.get(sessionId);
    if (opened?.keeper.current === undefined) inUse.add(sessionId);
    else spare?.prepare(opened.session.target().projectDir);
  }

  function ownKeeper(sessionId: SessionId, launchTarget: () => SessionTarget): ProcessKeeper {
    return createProcessKeeper({
      label,
      clock,
      startTimeoutMs,
      launch: (signal) => driver.launch(launchTarget(), signal),
      onStatus(status) {
        if (status.status === 'idle' || status.status === 'disconnected') sleepPolicy.forget(sessionId);
        else sleepPolicy.touch(sessionId);
        statusListeners.emit(toProviderStatus(cliType, status, sessionId));
        if (status.status === 'connected') onReady(sessionId);
      },
      onEnded: (end) => sessions.get(sessionId)?.session.detach(end),
    });
  }

  function add(target: SessionTarget, access?: Access): OpenSession {
    const { sessionId } = target;
    const keeper = shared ?? ownKeeper(sessionId, () => session.target());
    const session: AgentSession = createAgentSession({
      driver,
      target,
      access,
      keeper,
      clock,
      promptTimeoutMs,
      cancelGraceMs,
      decidePermission,
      onUpsert: listeners.emitUpsert,
      onTurn(event) {
        listeners.emitTurn(event);
        if (isTurnEnd(event)) inquiry?.turnEnded();
      },
      onReceipt: listeners.emitReceipt,
      onUse() {
        // A session that is being closed must not be tracked again.
        if (sessions.get(sessionId)?.session === session) sleepPolicy.touch(sessionId);
        idleProcess?.touch();
        if (stale !== undefined) queueMicrotask(() => void stale.check().catch(() => {}));
      },
      log: (message) => onProblem(`${label}, ${sessionId}: ${message}`),
    });
    const opened = { session, keeper };
    sessions.set(sessionId, opened);
    return opened;
  }

  async function putToSleep(sessionId: SessionId): Promise<void> {
    try {
      await sessions.get(sessionId)?.session.sleep('asleep');
      await idleProcess?.check();
    } catch (error) {
      onProblem(`${label} could not put ${sessionId} to sleep.`, error);
    }
  }

  function isSharedNeeded(): boolean {
    if (creating > 0 || loads.isAny()) return true;
    return [...sessions.values()].some(({ session }) => session.isAlive() || session.isOpening());
  }

  async function useShared<T>(use: () => Promise<T>): Promise<T> {
    refuseIfClosed();
    creating += 1;
    try {
      return await use();
    } finally {
      creating -= 1;
      await idleProcess?.check();
    }
  }

  function find(sessionId: SessionId): AgentSession {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known.session;
    throw new ProviderError('SESSION_NOT_FOUND', 'This session is not open. Open it, then try again.');
  }

  const answer = (sessionId: SessionId, history: readonly UpsertObject[]): ProviderSession => ({
    sessionId,
    cliType,
    history,
  });

  const readAccess = async (target: SessionTarget) => (await driver.readAccess?.(target)) ?? NORMAL_ACCESS;

  function refuseIfClosed(): void {
    if (isClosed) throw new ProviderError('AGENT_UNAVAILABLE', 'The server is shutting down.');
  }

  async function createOwn(projectDir: string, admission: Admission): Promise<ProviderSession> {
    const warmed = spare?.take(projectDir, admission);
    const nativeId = warmed?.nativeId ?? newId();
    const target = { sessionId: toCanonical(cliType, nativeId), nativeId, projectDir, wasUsed: false };
    const { session, keeper } = add(target, await readAccess(target));
    try {
      await keeper.launch(warmed?.process);
    } catch (error) {
      sessions.delete(target.sessionId);
      await session.close('did not start', 'cancelled');
      driver.discard?.(target);
      throw error;
    }
    session.wake().catch(() => {});
    return answer(target.sessionId, []);
  }

  async function createShared(keeper: ProcessKeeper, projectDir: string): Promise<ProviderSession> {
    creating += 1;
    try {
      const opened = await openInProcess(keeper, { mode: 'new', projectDir });
      const { nativeId } = opened;
      const target = { sessionId: toCanonical(cliType, nativeId), nativeId, projectDir, wasUsed: false };
      add(target).session.attach(opened);
      return answer(target.sessionId, []);
    } finally {
      creating -= 1;
    }
  }

  async function loadFromDisk(target: SessionTarget, options: LoadSessionOptions, signal: AbortSignal) {
    const { sessionId } = target;
    const access = sessions.has(sessionId) ? undefined : await readAccess(target);
    // Between turns: the items of a running one have other ids in the history.
    if (shared !== undefined) await abortable(sessions.get(sessionId)?.session.whenIdle() ?? Promise.resolve(), signal);
    const stored = await abortable(readStored(target, options), signal);
    // A load that was called off opens nothing.
    signal.throwIfAborted();
    const known = sessions.get(sessionId);
    // A running process has the conversation, stored or not.
    const isLive = known?.session.isAlive() ?? false;
    const isMissing = stored === undefined && !isLive && !options.neverUsed;
    if (isMissing && known === undefined && !options.isKept) {
      throw new ProviderError(
        'SESSION_NOT_FOUND',
        `${label} has no transcript of this session: it was removed, or belongs to another home directory.`,
      );
    }
    const wasUsed = isMissing || (stored !== undefined && (stored.isCurrent === true || stored.history.length > 0));
    if (known === undefined) add({ ...target, wasUsed }, access);
    const isCurrent = stored === undefined && isLive && { isCurrent: true as const };
    return { ...answer(sessionId, []), ...isCurrent, ...stored, ...(isMissing && { isMissing }) };
  }

  /** Undefined if the agent has nothing. */
  async function readStored(target: SessionTarget, { stamp: known }: LoadSessionOptions) {
    // Before reading, so that what is written meanwhile is read again the next time.
    const stamp = await driver.historyStamp?.(target);
    if (stamp !== undefined && stamp === known) return { history: [], stamp, isCurrent: true as const };
    const history = await driver.readHistory?.(target);
    return history && { history, stamp };
  }

  /** For agents that have their conversations themselves: what we keep is shown, and no process is started for it. */
  function openKept(target: SessionTarget): ProviderSession {
    if (!sessions.has(target.sessionId)) add({ ...target, wasUsed: true });
    return { ...answer(target.sessionId, []), isCurrent: true };
  }

  async function loadFromAgent(keeper: ProcessKeeper, target: SessionTarget, signal: AbortSignal) {
    const { sessionId, projectDir } = target;
    await abortable(sessions.get(sessionId)?.session.whenIdle() ?? Promise.resolve(), signal);
    const opened = await openInProcess(keeper, { mode: 'load', projectDir, target }, signal);
    const { history = [] } = opened;
    const wasUsed = target.wasUsed || history.length > 0;
    (sessions.get(sessionId) ?? add({ ...target, wasUsed })).session.attach(opened);
    return answer(sessionId, history);
  }

  function load(sessionId: SessionId, options: LoadSessionOptions): Promise<ProviderSession> {
    const { projectDir, neverUsed = false } = options;
    return loads.run(sessionId, async (signal) => {
      refuseIfClosed();
      await closing.get(sessionId);
      const { cliType: type, nativeId } = fromCanonical(sessionId);
      if (type !== cliType) throw new ProviderError('SESSION_NOT_FOUND');
      const target = { sessionId, nativeId, projectDir, wasUsed: !neverUsed };
      if (shared === undefined || traits.historyWithoutProcess) return loadFromDisk(target, options, signal);
      return options.isKept && !neverUsed ? openKept(target) : loadFromAgent(shared, target, signal);
    });
  }

  return {
    cliType,
    label,

    async createSession({ projectDir }) {
      refuseIfClosed();
      await driver.checkStart(projectDir);
      const admission = await gate.admit(projectDir);
      refuseIfClosed();
      const created = await (shared === undefined
        ? createOwn(projectDir, admission)
        : createShared(shared, projectDir));
      if (spare !== undefined) prepareSpare(created.sessionId);
      return created;
    },

    loadSession: load,

    async readHistory(sessionId, { projectDir, home }) {
      const { nativeId } = fromCanonical(sessionId);
      const target = { sessionId, nativeId, projectDir, wasUsed: true };
      if (!traits.historyWithoutProcess) return undefined;
      if (home === undefined) return readStored(target, { projectDir });
      const history = await driver.readHistory?.(target, home);
      return history && { history };
    },

    async sendMessage(sessionId, message, { turnId = newId() } = {}) {
      const loading = loads.pending(sessionId);
      if (loading !== undefined) await loading;
      const session = find(sessionId);
      if (spare !== undefined) prepareSpare(sessionId);
      await session.send(turnId, message);
      return { turnId };
    },

    async cancelTurn(sessionId) {
      loads.cancel(sessionId);
      await sessions.get(sessionId)?.session.cancel();
    },

    async killSession(sessionId) {
      loads.cancel(sessionId);
      const known = sessions.get(sessionId);
      if (known === undefined) return closing.get(sessionId);
      sessions.delete(sessionId);
      inUse.delete(sessionId);
      sleepPolicy.forget(sessionId);
      const closed = known.session.close('session ended', 'cancelled').finally(() => {
        if (closing.get(sessionId) === closed) closing.delete(sessionId);
      });
      closing.set(sessionId, closed);
      await closed;
    },

    stopBackground: async (sessionId, itemId) => sessions.get(sessionId)?.session.stopBackground(itemId),
    access: (sessionId) => sessions.get(sessionId)?.session.access(),
    isAlive: (sessionId) => sessions.get(sessionId)?.session.isAlive() ?? false,

    onUpsert: listeners.onUpsert,
    onTurn: listeners.onTurn,
    onReceipt: listeners.onReceipt,
    onStatus: statusListeners.add,
    statuses: () =>
      shared !== undefined
        ? [toProviderStatus(cliType, shared.status)]
        : [...sessions].map(([sessionId, { keeper }]) => toProviderStatus(cliType, keeper.status, sessionId)),

    async reconnect(sessionId) {
      if (shared !== undefined) return shared.reconnect();
      if (sessionId !== undefined) find(sessionId);
      const chosen = [...sessions].filter(([id]) => sessionId === undefined || id === sessionId);
      const down = chosen.filter(([, { keeper }]) => keeper.current === undefined && keeper.status.status !== 'idle');
      await Promise.all(down.map(([, { keeper }]) => keeper.reconnect()));
    },

    rest: async (sessionId, reason) => sessions.get(sessionId)?.session.rest(reason),

    ...(driver.holders && { holders: driver.holders }),
    ...(driver.nativeFiles && { nativeFiles: driver.nativeFiles }),
    ...(driver.listing && { listing: driver.listing }),
    ...(inquiry && toldIdOf && { told: { onTold: toldListeners.add, idOf: toldIdOf } }),
    ...(driver.traits.historyGaps && { historyGaps: driver.traits.historyGaps }),
    ...createNativeConversations({
      driver,
      shared,
      useShared,
      wasUsed: (sessionId) => sessions.get(sessionId)?.session.target().wasUsed ?? true,
    }),

    whatRuns: driver.whatRuns,
    async followTrust(projectDir) {
      const isWithdrawn = await followTrust({ projectDir, gate, label, sessions: [...sessions.values()], spare });
      if (isWithdrawn) await stale?.mark();
    },
    async checkAvailability() {
      const { leavesOutProjectSettings } = traits;
      return { ...(await driver.checkAvailability()), ...(leavesOutProjectSettings && { leavesOutProjectSettings }) };
    },

    warmUp(sessionId) {
      const session = sessions.get(sessionId)?.session;
      // A session that is open stays open while the user types.
      if (session?.isAlive()) sleepPolicy.touch(sessionId);
      // A failure shows in the session's status and is reported to the message that needs the agent.
      session?.wake().catch(() => {});
    },
    async prepare() {
      await driver.prepare().catch((error: unknown) => onProblem(`${label} could not be prepared.`, error));
    },

    async close() {
      isClosed = true;
      sleepPolicy.stop();
      idleProcess?.stop();
      inquiry?.stop();
      loads.cancelAll();
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([
        ...open.map(({ session }) => session.close('shutdown', SHUT_DOWN)),
        ...closing.values(),
        spare?.close(),
        shared?.stop('shutdown'),
      ]);
    },
  };
}
