import type { Clock } from '../../../clock.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { withTimeout } from '../../../with-timeout.ts';
import { type Dialect, dialectOf } from '../translate/dialect.ts';
import { parseSessionUpdate } from '../translate/session-update.ts';
import {
  isOffered,
  type PromptResponse,
  readInitializeResponse,
  readNewSession,
  readOpenedSession,
  readPromptResponse,
  readSessionPage,
  type SessionPage,
} from './agent-responses.ts';
import { CLIENT_CAPABILITIES, type ClientHost, registerClientMethods } from './client-methods.ts';
import { createMessageStream, type MessageStreamOptions } from './message-stream.ts';

const PROTOCOL_VERSION = 1;
/** How long opening a session may take: enough for a very long conversation on a slow disk. */
const SESSION_TIMEOUT_MS = 120_000;
export const CLOSE_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;
const DELETE_TIMEOUT_MS = 30_000;
const SET_TIMEOUT_MS = 5_000;

interface SessionResponse {
  readonly modelId: string | undefined;
}

/** A connection after the handshake. Every request rejects when the agent is gone. */
export interface AcpConnection {
  readonly dialect: Dialect;
  readonly can: Readonly<Record<'load' | 'resume' | 'close' | 'delete' | 'title' | 'fork' | 'list', boolean>>;
  newSession(cwd: string): Promise<SessionResponse & { readonly nativeId: string }>;
  /** The conversation is reported as updates, all of them before this resolves. */
  loadSession(nativeId: string, cwd: string): Promise<SessionResponse>;
  /** Like `loadSession`, without the updates. */
  resumeSession(nativeId: string, cwd: string): Promise<SessionResponse>;
  /** Copies a session. The agent has the copy open then. */
  forkSession(nativeId: string, cwd: string): Promise<string>;
  /** One page of the sessions that the agent stores, in every directory. */
  listSessions(cursor: string | undefined, timeoutMs: number): Promise<SessionPage>;
  setMode(sessionId: string, modeId: string): Promise<void>;
  closeSession(nativeId: string): Promise<void>;
  /** Also for sessions that are not open. */
  deleteSession(nativeId: string): Promise<void>;
  setTitle(nativeId: string, title: string): Promise<void>;
  prompt(nativeId: string, content: string): Promise<PromptResponse>;
  /** Also for the session of a sub-agent. */
  cancel(nativeId: string): void;
  /** Stops a task that the agent announced. */
  stopTask(nativeId: string, taskId: string): Promise<void>;
  /** Resolves when the agent has closed its end. */
  readonly closed: Promise<void>;
  isClosed(): boolean;
  close(): void;
}

export interface ConnectOptions extends Pick<MessageStreamOptions, 'stdout' | 'stdin'> {
  readonly client: ClientHost;
  readonly clock: Clock;
  /** Our own version, which the agent is told. */
  readonly version: string;
}

/** Loaded when it is first needed, because it is large and many servers never start such an agent. */
export const loadSdk = () => import('@agentclientprotocol/sdk');

/** Connects and does the handshake. Rejects where the agent refuses it or ends before. */
export async function openConnection(options: ConnectOptions): Promise<AcpConnection> {
  const { client, clock, version } = options;
  const sdk = await loadSdk();
  const onProblem = limitReports(client.onProblem);
  const stream = createMessageStream({
    ...options,
    onProblem,
    onUpdate(params) {
      const parsed = parseSessionUpdate(params);
      if (parsed.ok) client.onUpdate(parsed.nativeId, parsed.update);
      else onProblem(parsed.problem);
    },
  });
  const connection = registerClientMethods(sdk.client({ name: 'liminal-builder' }), client, sdk).connect(stream);
  const { agent } = connection;

  const { agentInfo, agentCapabilities, protocolVersion } = readInitializeResponse(
    await agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: CLIENT_CAPABILITIES,
      clientInfo: { name: 'liminal-builder', title: 'Liminal Builder', version },
    }),
  );
  if (protocolVersion !== PROTOCOL_VERSION) {
    connection.close();
    throw new ProviderError(
      'AGENT_PROTOCOL_ERROR',
      `It speaks version ${protocolVersion} of the protocol, not ${PROTOCOL_VERSION}.`,
    );
  }

  const sessions = agentCapabilities?.sessionCapabilities;
  const request = <T>(ms: number, method: string, response: Promise<T>) => withDeadline(clock, ms, method, response);

  return {
    dialect: dialectOf(agentInfo?.name),
    can: {
      load: isOffered(agentCapabilities?.loadSession),
      resume: isOffered(sessions?.resume),
      close: isOffered(sessions?.close),
      delete: isOffered(sessions?.delete),
      title: isOffered(sessions?.title),
      fork: isOffered(sessions?.fork),
      list: isOffered(sessions?.list),
    },
    newSession: async (cwd) =>
      readNewSession(
        await request(SESSION_TIMEOUT_MS, 'session/new', agent.request('session/new', { cwd, mcpServers: [] })),
      ),
    loadSession: async (sessionId, cwd) => {
      const response = agent.request('session/load', { sessionId, cwd, mcpServers: [] });
      return readOpenedSession(await request(SESSION_TIMEOUT_MS, 'session/load', response));
    },
    resumeSession: async (sessionId, cwd) => {
      const response = agent.request('session/resume', { sessionId, cwd, mcpServers: [] });
      return readOpenedSession(await request(SESSION_TIMEOUT_MS, 'session/resume', response));
    },
    forkSession: async (sessionId, cwd) => {
      const response = agent.request('session/fork', { sessionId, cwd, mcpServers: [] });
      return readNewSession(await request(SESSION_TIMEOUT_MS, 'session/fork', response)).nativeId;
    },
    listSessions: async (cursor, timeoutMs) => {
      const response = agent.request('session/list', cursor === undefined ? {} : { cursor });
      return readSessionPage(await request(timeoutMs, 'session/list', response));
    },
    setMode: async (sessionId, modeId) => {
      const response = agent.request('session/set_mode', { sessionId, modeId });
      await request(SET_TIMEOUT_MS, 'session/set_mode', response);
    },
    closeSession: async (sessionId) => {
      await request(CLOSE_TIMEOUT_MS, 'session/close', agent.request('session/close', { sessionId }));
    },
    deleteSession: async (sessionId) => {
      await request(DELETE_TIMEOUT_MS, 'session/delete', agent.request('session/delete', { sessionId }));
    },
    setTitle: async (sessionId, title) => {
      const response = agent.request('session/set_title', { sessionId, title });
      await request(SET_TIMEOUT_MS, 'session/set_title', response);
    },
    prompt: async (sessionId, text) =>
      readPromptResponse(await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })),
    cancel: (sessionId) => {
      // Rejects only when the agent is gone, and then its turns end anyway.
      agent.notify('session/cancel', { sessionId }).catch(() => {});
    },
    stopTask: async (sessionId, asyncTaskId) => {
      const method = '_session/async_task/stop';
      await request(STOP_TIMEOUT_MS, method, agent.request(method, { sessionId, asyncTaskId }));
    },
    closed: connection.closed,
    isClosed: () => connection.signal.aborted,
    close: () => connection.close(),
  };
}

async function withDeadline<T>(clock: Clock, ms: number, method: string, response: Promise<T>): Promise<T> {
  const settled = await withTimeout(
    clock,
    ms,
    response.then((value) => ({ value })),
  );
  if (settled !== undefined) return settled.value;
  throw new ProviderError(
    'AGENT_PROTOCOL_ERROR',
    `The agent did not answer ${method} within ${ms / 1000} s. Try again.`,
  );
}

/** Passes on the first reports, then one that says that there are more. */
function limitReports(report: (problem: string) => void, limit = 100): (problem: string) => void {
  let reported = 0;
  return (problem) => {
    reported += 1;
    if (reported <= limit) report(problem);
    else if (reported === limit + 1) report('more of the kind, which is not reported any more');
  };
}
