import { homedir } from 'node:os';
import type { Clock } from '../../clock.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { ProviderStatus } from '../../engine/provider-types.ts';
import {
  createRetryMachine,
  type HostedProcess,
  type ProcessExit,
  type ProcessHost,
  type RetryStatus,
  SpawnError,
} from '../../processes/index.ts';
import type { AcpAgent } from './acp-agent.ts';
import { type AcpConnection, type ConnectOptions, loadSdk, openConnection } from './acp-connection.ts';
import { handshakeFailed, isTransient, notInstalled, processGone, toProviderError } from './acp-errors.ts';

export interface AgentProcessOptions extends Pick<ConnectOptions, 'client' | 'version'> {
  readonly agent: AcpAgent;
  readonly host: ProcessHost;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly startTimeoutMs: number;
  readonly onStatus: (status: ProviderStatus) => void;
  /** The connection is gone and everything it sent has been delivered. Called before the status tells it. */
  readonly onLost: (failure: ProviderError) => void;
}

/** The one process of an agent: started on demand, started again when it ends by itself. */
export interface AgentProcess {
  readonly status: ProviderStatus;
  /** Undefined while there is none. */
  readonly connection: AcpConnection | undefined;
  /** Starts the process where none runs. Rejects with a ProviderError. */
  connect(): Promise<AcpConnection>;
  /** The same at the user's wish, with a fresh series of retries. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

interface Started {
  readonly process: HostedProcess;
  readonly connection: AcpConnection;
}

/** How long a process that closed its output may take to end before it is ended. */
const LAST_BREATH_MS = 500;

export function createAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { agent, clock } = options;
  let current: Started | undefined;
  /** Settles when the process that was started last is gone. */
  let leaving: Promise<void> = Promise.resolve();
  let starting: Promise<void> = Promise.resolve();
  let isClosed = false;

  const machine = createRetryMachine({
    connect: (signal) => {
      starting = begin(signal);
      return starting;
    },
    onStatus: (status) => options.onStatus(toProviderStatus(agent, status)),
    isTransient,
    clock,
  });

  async function begin(signal: AbortSignal): Promise<void> {
    const started = await start(options, signal);
    current = started;
    watch(started);
  }

  /** A process that closed its output is as good as gone; the next one starts when it is. */
  async function outlive(): Promise<void> {
    if (current === undefined && machine.current.status === 'connected') await leaving;
  }

  function rethrow(error: unknown): never {
    throw toProviderError(error, agent);
  }

  function requireConnection(): AcpConnection {
    if (current === undefined) throw processGone(agent);
    return current.connection;
  }

  /** From here on nothing reaches the agent any more, although its process may take a moment to end. */
  function lose(started: Started, failure: ProviderError): void {
    if (current !== started) return;
    current = undefined;
    if (!isClosed) options.onLost(failure);
  }

  function watch(started: Started): void {
    const { process, connection } = started;
    void connection.closed.then(() => {
      lose(started, processGone(agent));
      // An agent that closes its end but goes on running could never be heard again.
      const timer = clock.setTimeout(() => process.kill('it closed its output'), LAST_BREATH_MS);
      void process.exited.then(() => clock.clearTimeout(timer));
    });
    leaving = process.exited.then((exit) => {
      const failure = processGone(agent, describeExit(exit));
      lose(started, failure);
      if (!isClosed) machine.lost(failure);
    });
  }

  return {
    get status() {
      return toProviderStatus(agent, machine.current);
    },
    get connection() {
      return current?.connection;
    },
    async connect() {
      if (isClosed) throw processGone(agent);
      await outlive();
      await machine.ensureConnected().catch(rethrow);
      return requireConnection();
    },
    async reconnect() {
      await outlive();
      await machine.reconnect().catch(rethrow);
    },
    async close() {
      isClosed = true;
      machine.stop();
      await starting.catch(() => {});
      await current?.process.stop('the server is closing');
      await leaving;
    },
  };
}

/** A start that took too long or is no longer wanted. */
class StartGivenUp extends Error {}

async function start(options: AgentProcessOptions, signal: AbortSignal): Promise<Started> {
  const { agent, clock, client, version, startTimeoutMs } = options;
  const process = spawn(options);
  const { stdout, stdin } = process.child;
  let timer: unknown;
  const givenUp = new Promise<never>((_resolve, reject) => {
    const giveUp = (why: string) => reject(new StartGivenUp(why));
    timer = clock.setTimeout(() => giveUp(`It did not answer within ${startTimeoutMs / 1000} s.`), startTimeoutMs);
    signal.addEventListener('abort', () => giveUp('The start was called off.'), { once: true });
  });
  try {
    const opening = openConnection({ stdout, stdin, client, clock, version });
    return { process, connection: await Promise.race([opening, givenUp]) };
  } catch (error) {
    const why = error instanceof StartGivenUp ? error.message : await explain(process, error, clock);
    await process.kill('it did not start');
    throw handshakeFailed(agent, why, process.stderrTail(), error);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** An agent that ends in the handshake first closes its output; how it ended says more. */
async function explain(process: HostedProcess, error: unknown, clock: Clock): Promise<string> {
  if (error instanceof ProviderError || (error instanceof Error && 'code' in error)) return error.message;
  let timer: unknown;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), LAST_BREATH_MS);
  });
  const exit = await Promise.race([process.exited, late]);
  clock.clearTimeout(timer);
  return exit === undefined
    ? 'It closed its output before it answered.'
    : `It ended (${describeExit(exit)}) before it answered.`;
}

function spawn({ agent, host, env }: AgentProcessOptions): HostedProcess {
  const located = agent.locate();
  if (typeof located === 'string') throw notInstalled(agent, located);
  // Read while the process starts, not after it.
  void loadSdk().catch(() => {});
  try {
    return host.spawn({ ...located, cwd: homedir(), env: { ...env, ...agent.env }, label: agent.cliType });
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    const isMissing = error.code === 'COMMAND_NOT_FOUND' || error.code === 'COMMAND_NOT_EXECUTABLE';
    throw isMissing ? notInstalled(agent, error.message) : handshakeFailed(agent, error.message, '', error);
  }
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal ?? `exit code ${code}`;
}

function toProviderStatus({ cliType }: AcpAgent, retry: RetryStatus): ProviderStatus {
  const { status, attempt, maxAttempts, retryInMs, error } = retry;
  return {
    cliType,
    status,
    ...(attempt !== undefined && { attempt, maxAttempts }),
    ...(retryInMs !== undefined && { retryInMs }),
    ...(error instanceof Error && { message: error.message }),
  };
}
