import { homedir } from 'node:os';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { toCanonical } from '../../../../shared/ids.ts';
import type { AgentProcess, ProcessEnd } from '../../../engine/driver.ts';
import type { DecidePermission, PermissionDecision } from '../../../engine/permission.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import { type HostedProcess, type ProcessExit, SpawnError } from '../../../processes/index.ts';
import { withTimeout } from '../../../with-timeout.ts';
import { type AcpConnection, loadSdk, openConnection } from '../connection/acp-connection.ts';
import { handshakeFailed, notInstalled, processGone } from '../connection/acp-errors.ts';
import { type AskPermission, answerPermissionRequest } from '../connection/permission.ts';
import { createProcessSessions, type ProcessSessions, type ProcessSessionsOptions } from './process-sessions.ts';
import { createSessionIndex } from './session-index.ts';
import { createSessionLister, type ListSessions } from './session-lister.ts';

export interface AcpProcessOptions
  extends Omit<ProcessSessionsOptions, 'connection' | 'index' | 'isOpen' | 'endProcesses'> {
  /** Our own version, which the agent is told. */
  readonly version: string;
  /** For requests about sessions that are not open here. */
  readonly decidePermission: DecidePermission;
}

/** How long a process that closed its output may take to exit before it is killed. */
const EXIT_GRACE_MS = 500;

const UNDECIDED: PermissionDecision = { allow: false, reason: 'The request could not be decided.' };

/** Starts the one process that serves all sessions of an agent. Throws a ProviderError where it cannot be started. */
export function startAcpProcess(options: AcpProcessOptions): AgentProcess {
  const { agent, clock } = options;
  const process = spawn(options);
  const index = createSessionIndex();
  let connected:
    | { readonly connection: AcpConnection; readonly sessions: ProcessSessions; readonly list: ListSessions }
    | undefined;
  let isStopping = false;

  const isOpen = () => connected !== undefined && !connected.connection.isClosed() && !isStopping;
  const ready = connect();
  ready.catch(() => {});
  const ended = waitForExit();

  async function connect(): Promise<void> {
    const { stdout, stdin } = process.child;
    const client = {
      onUpdate: index.receive,
      onProblem: (problem: string) => options.onProblem(`${agent.label} sent ${problem}`),
      decide: (request: RequestPermissionRequest) => answerPermissionRequest(request, askIn(request.sessionId)),
      workspace: index.find,
    };
    try {
      const opening = openConnection({ stdout, stdin, client, clock, version: options.version });
      const connection = await Promise.race([opening, process.exited.then(() => undefined)]);
      if (connection === undefined) throw new Error('The process ended.');
      const { endProcesses } = process;
      const sessions = createProcessSessions({ ...options, connection, index, isOpen, endProcesses });
      connected = { connection, sessions, list: createSessionLister(connection, clock) };
      void connection.closed.then(killUnlessExited);
    } catch (error) {
      throw handshakeFailed(agent, await explainFailure(error), process.stderrTail(), error);
    }
  }

  /** A process that exits during the handshake closes its output first; how it exited says more. */
  async function explainFailure(error: unknown): Promise<string> {
    if (error instanceof ProviderError || (error instanceof Error && 'code' in error)) return error.message;
    const exit = await withTimeout(clock, EXIT_GRACE_MS, process.exited);
    return exit === undefined
      ? 'It closed its output before it answered.'
      : `It ended (${describeExit(exit)}) before it answered.`;
  }

  /** Nothing more can be heard from a process that closed its output. */
  function killUnlessExited(): void {
    const timer = clock.setTimeout(() => process.kill('closed its output'), EXIT_GRACE_MS);
    void process.exited.then(() => clock.clearTimeout(timer));
  }

  async function waitForExit(): Promise<ProcessEnd> {
    const exit = await process.exited;
    await ready.catch(() => {});
    if (connected !== undefined) {
      await withTimeout(clock, EXIT_GRACE_MS, connected.connection.closed);
      connected.connection.close();
      await connected.sessions.end();
    }
    const refusal = processGone(agent, describeExit(exit));
    const { code, message } = refusal;
    return { isExpected: isStopping, failure: { code, message }, refusal };
  }

  function connectedSessions(): ProcessSessions {
    if (connected === undefined || !isOpen()) throw processGone(agent);
    return connected.sessions;
  }

  function askIn(nativeId: string): AskPermission {
    const session = index.find(nativeId);
    if (session !== undefined) return session.ask;
    // A sub-agent that was not announced may ask under an id of its own.
    const sessionId = toCanonical(agent.cliType, nativeId);
    return (request) =>
      options.decidePermission({ ...request, sessionId, access: options.started.access }).catch(() => UNDECIDED);
  }

  return {
    ready,
    ended,
    isOpen,
    stderrTail: () => process.stderrTail(),
    open: async (request) => connectedSessions().open(request),
    setTitle: async (target, title) => connectedSessions().setTitle(target, title),
    fork: async (target, at) => connectedSessions().fork(target, at),
    deleteConversation: async (target) => connectedSessions().deleteConversation(target),
    ...(agent.listing === undefined && { listSessions: async () => (isOpen() ? connected?.list() : undefined) }),
    stop(reason) {
      isStopping = true;
      return process.stop(reason);
    },
    kill(reason) {
      isStopping = true;
      return process.kill(reason);
    },
  };
}

function spawn({ agent, host, env, started }: AcpProcessOptions): HostedProcess {
  const located = agent.locate();
  if (typeof located === 'string') throw notInstalled(agent, located);
  // Loaded while the process starts.
  void loadSdk().catch(() => {});
  try {
    const mode = started.modeId === undefined ? {} : agent.modeEnvironment?.(started.modeId);
    return host.spawn({ ...located, cwd: homedir(), env: { ...env, ...agent.env, ...mode }, label: agent.cliType });
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    const isMissing = error.code === 'COMMAND_NOT_FOUND' || error.code === 'COMMAND_NOT_EXECUTABLE';
    throw isMissing ? notInstalled(agent, error.message) : handshakeFailed(agent, error.message, '', error);
  }
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal ?? `exit code ${code}`;
}
