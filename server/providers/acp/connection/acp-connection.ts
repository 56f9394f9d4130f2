import type { Clock } from '../../../clock.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import {
  isOffered,
  type PromptAnswer,
  readInitializeAnswer,
  readNewSession,
  readOpenedSession,
  readPromptAnswer,
} from './agent-responses.ts';
import { CLIENT_CAPABILITIES, type ClientHost, registerClientMethods } from './client-methods.ts';
import { type Dialect, dialectOf } from '../translate/dialect.ts';
import { createMessageStream, type MessageStreamOptions } from './message-stream.ts';
import { parseSessionUpdate } from '../translate/session-update.ts';

const PROTOCOL_VERSION = 1;
/** How long opening or closing a session may take. Long enough for the longest conversation on a slow disk. */
const SESSION_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 5_000;

interface OpenedSession {
  readonly modelId: string | undefined;
}

/** A connection on which the handshake is done. Every request rejects when the agent is gone. */
export interface AcpConnection {
  readonly dialect: Dialect;
  readonly can: { readonly load: boolean; readonly resume: boolean; readonly close: boolean };
  newSession(cwd: string): Promise<OpenedSession & { readonly nativeId: string }>;
  /** The conversation comes as updates, all of them before this resolves. */
  loadSession(nativeId: string, cwd: string): Promise<OpenedSession>;
  /** As `loadSession` without the updates. */
  resumeSession(nativeId: string, cwd: string): Promise<OpenedSession>;
  closeSession(nativeId: string): Promise<void>;
  prompt(nativeId: string, content: string): Promise<PromptAnswer>;
  cancel(nativeId: string): void;
  /** Resolves when the agent has closed its end. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface ConnectOptions extends Pick<MessageStreamOptions, 'stdout' | 'stdin'> {
  readonly client: ClientHost;
  readonly clock: Clock;
  /** Our own version, for the agent to know. */
  readonly version: string;
}

/** Loaded when it is first needed: it is large, and many servers never start such an agent. */
export const loadSdk = () => import('@agentclientprotocol/sdk');

/** Shakes hands. Rejects where the agent does not, or ends before it has. */
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

  const { agentInfo, agentCapabilities, protocolVersion } = readInitializeAnswer(
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
  const within = <T>(ms: number, method: string, answer: Promise<T>) => withDeadline(clock, ms, method, answer);

  return {
    dialect: dialectOf(agentInfo?.name),
    can: {
      load: isOffered(agentCapabilities?.loadSession),
      resume: isOffered(sessions?.resume),
      close: isOffered(sessions?.close),
    },
    newSession: async (cwd) =>
      readNewSession(
        await within(SESSION_TIMEOUT_MS, 'session/new', agent.request('session/new', { cwd, mcpServers: [] })),
      ),
    loadSession: async (sessionId, cwd) => {
      const answer = agent.request('session/load', { sessionId, cwd, mcpServers: [] });
      return readOpenedSession(await within(SESSION_TIMEOUT_MS, 'session/load', answer));
    },
    resumeSession: async (sessionId, cwd) => {
      const answer = agent.request('session/resume', { sessionId, cwd, mcpServers: [] });
      return readOpenedSession(await within(SESSION_TIMEOUT_MS, 'session/resume', answer));
    },
    closeSession: async (sessionId) => {
      await within(CLOSE_TIMEOUT_MS, 'session/close', agent.request('session/close', { sessionId }));
    },
    prompt: async (sessionId, text) =>
      readPromptAnswer(await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })),
    cancel: (sessionId) => {
      // Rejects only when the agent is gone, and then its turns have ended.
      agent.notify('session/cancel', { sessionId }).catch(() => {});
    },
    closed: connection.closed,
    close: () => connection.close(),
  };
}

async function withDeadline<T>(clock: Clock, ms: number, method: string, answer: Promise<T>): Promise<T> {
  let timer: unknown;
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimeout(() => {
      reject(
        new ProviderError(
          'AGENT_PROTOCOL_ERROR',
          `The agent did not answer ${method} within ${ms / 1000} s. Try again.`,
        ),
      );
    }, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Passes on the first reports and then says that there are more: a flood of them tells no more than its beginning. */
function limitReports(report: (problem: string) => void, limit = 100): (problem: string) => void {
  let reported = 0;
  return (problem) => {
    reported += 1;
    if (reported <= limit) report(problem);
    else if (reported === limit + 1) report('more of the kind, which is not reported any more');
  };
}
