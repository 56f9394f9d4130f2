import { randomUUID } from 'node:crypto';
import { fromCanonical, type SessionId, toCanonical } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Clock } from '../../clock.ts';
import { createListeners } from '../../engine/listeners.ts';
import type { DecidePermission } from '../../engine/permission.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { CliProvider, LoadSessionOptions, ProviderSession, ProviderStatus } from '../../engine/provider-types.ts';
import { createSessionListeners } from '../../engine/session-listeners.ts';
import type { ProcessHost } from '../../processes/index.ts';
import type { AcpAgent } from './acp-agent.ts';
import type { AcpConnection } from './acp-connection.ts';
import { processGone } from './acp-errors.ts';
import { createAgentProcess } from './agent-process.ts';
import { decideFor } from './decide-for.ts';
import { openSession } from './open-session.ts';
import { createReplay } from './replay.ts';
import { createMemoryAliases, type SessionAliases } from './session-aliases.ts';
import { createSessionBook, type OpenedSession } from './session-book.ts';
import { createSessionOpening, type Opening, requireDirectory } from './session-opening.ts';
import { createWaitingLines } from './waiting-lines.ts';

export interface AcpProviderDeps {
  readonly agent: AcpAgent;
  readonly host: ProcessHost;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly decidePermission: DecidePermission;
  readonly startTimeoutMs: number;
  readonly promptTimeoutMs: number;
  /** Our own version, for the agent to know. */
  readonly version: string;
  /** Told what the agent sent that was not understood, and of listeners that failed. */
  readonly onProblem: (problem: string, error?: unknown) => void;
  readonly aliases?: SessionAliases;
  readonly newId?: () => string;
}

/** One provider for every agent that speaks the Agent Client Protocol; which one is in `agent`. */
export function createAcpProvider(deps: AcpProviderDeps): CliProvider {
  const { agent, clock, newId = randomUUID, aliases = createMemoryAliases() } = deps;
  const { cliType, label } = agent;
  const onListenerFailure = (error: unknown) => deps.onProblem(`A listener of ${label} failed.`, error);
  const listeners = createSessionListeners(onListenerFailure);
  const statuses = createListeners<ProviderStatus>(onListenerFailure);
  const book = createSessionBook();
  const opening = createSessionOpening(book, aliases, agent);
  const inLine = createWaitingLines();

  const process = createAgentProcess({
    ...deps,
    client: {
      onUpdate: book.receive,
      onProblem: (problem) => deps.onProblem(`${label} sent ${problem}`),
      decide: (request) => decideFor(request, cliType, book, deps.decidePermission),
      workspace: book.findByNativeId,
    },
    onStatus: statuses.emit,
    onLost: detachAll,
  });

  function detachAll({ code, message }: ProviderError): Promise<unknown> {
    const all = book.all();
    for (const { session } of all) session.detach({ code, message });
    return Promise.all(all.map(({ terminals }) => terminals.close()));
  }

  function requireSession(sessionId: SessionId): OpenedSession {
    const opened = book.find(sessionId);
    if (opened === undefined)
      throw new ProviderError('SESSION_NOT_FOUND', 'This session is not loaded. Open it first.');
    return opened;
  }

  function attach(opened: OpenedSession, connection: AcpConnection, { nativeId, modelId }: Opening): void {
    if (process.connection !== connection) throw processGone(agent);
    book.add(opened, nativeId);
    const { dialect } = connection;
    const prompt = (content: string) => connection.prompt(nativeId, content);
    opened.session.attach({ dialect, prompt, cancel: () => connection.cancel(nativeId) }, modelId);
  }

  const open = (sessionId: SessionId, projectDir: string, connection: AcpConnection, wasUsed: boolean) =>
    openSession({ ...deps, newId, sessionId, projectDir, wasUsed, listeners, isRemembered: !connection.can.load });

  const answer = (sessionId: SessionId, history: readonly UpsertObject[]): ProviderSession => ({
    sessionId,
    cliType,
    history,
  });

  async function load(sessionId: SessionId, { projectDir, neverUsed = false }: LoadSessionOptions) {
    await requireDirectory(projectDir);
    const known = book.find(sessionId);
    await known?.session.whenIdle();
    const connection = await process.connect();
    if (known?.session.isAttached && !connection.can.load) return answer(sessionId, [...known.shown.values()]);
    const { nativeId } = fromCanonical(sessionId);
    const { dialect } = connection;
    const replay = createReplay({ sessionId, providerId: cliType, nativeId, dialect, now: clock.now() });
    const request = { sessionId, nativeId: aliases.find(sessionId) ?? nativeId, projectDir, neverUsed };
    const found = await opening.load(connection, request, replay.add);
    const history = replay.history();
    const wasUsed = !neverUsed || history.length > 0;
    attach(known ?? open(sessionId, projectDir, connection, wasUsed), connection, found);
    return answer(sessionId, history);
  }

  /** Brings a session back whose process ended, with its context and without its history, which is known. */
  async function revive(opened: OpenedSession): Promise<void> {
    const { sessionId, projectDir, session } = opened;
    if (session.isAttached) return;
    const connection = await process.connect();
    const nativeId = book.nativeIdOf(sessionId);
    if (nativeId === undefined) throw closedMeanwhile();
    const neverUsed = !session.wasUsed;
    const resumed = await opening.resume(connection, { sessionId, nativeId, projectDir, neverUsed });
    if (book.find(sessionId) !== opened) throw closedMeanwhile();
    attach(opened, connection, resumed);
  }

  return {
    cliType,
    label,

    async createSession({ projectDir }) {
      await requireDirectory(projectDir);
      const connection = await process.connect();
      const created = await opening.create(connection, projectDir);
      const sessionId = toCanonical(cliType, created.nativeId);
      attach(open(sessionId, projectDir, connection, false), connection, created);
      return answer(sessionId, []);
    },

    loadSession: (sessionId, options) => inLine(sessionId, () => load(sessionId, options)),

    sendMessage: (sessionId, message, { turnId = newId() } = {}) =>
      inLine(sessionId, async () => {
        const opened = requireSession(sessionId);
        await revive(opened);
        opened.session.send(turnId, message);
        return { turnId };
      }),

    async cancelTurn(sessionId) {
      await book.find(sessionId)?.session.cancel();
    },

    async killSession(sessionId) {
      const opened = book.find(sessionId);
      const nativeId = book.nativeIdOf(sessionId);
      if (opened === undefined || nativeId === undefined) return;
      await opened.session.cancel();
      book.remove(sessionId);
      opened.session.detach({ code: 'PROCESS_CRASH', message: 'The session was closed.' });
      await opened.terminals.close();
      if (process.connection?.can.close !== true) return;
      await process.connection.closeSession(nativeId).catch((error: unknown) => {
        deps.onProblem(`${label} did not close a session.`, error);
      });
    },

    stopBackground: async () => {},
    isAlive: (sessionId) => book.find(sessionId)?.session.isAttached ?? false,

    onUpsert: listeners.onUpsert,
    onTurn: listeners.onTurn,
    onStatus: statuses.add,
    statuses: () => [process.status],
    reconnect: () => process.reconnect(),

    async checkAvailability() {
      const located = agent.locate();
      return typeof located === 'string'
        ? { cliType, label, available: false, reason: located }
        : { cliType, label, available: true };
    },

    async warmUp() {
      // Whoever needs the agent is told why it did not start.
      await process.connect().catch(() => {});
    },

    async close() {
      await detachAll(new ProviderError('PROCESS_CRASH', 'The server was stopped. Send the message again.'));
      await process.close();
    },
  };
}

function closedMeanwhile(): ProviderError {
  return new ProviderError('SESSION_NOT_FOUND', 'This session was closed. Open it again.');
}
