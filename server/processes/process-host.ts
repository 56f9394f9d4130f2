import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { isOutOfFiles, type OpenFiles, reserveOf, systemOpenFiles } from '../open-files.ts';
import { withTimeout } from '../with-timeout.ts';
import { endDescendants } from './end-descendants.ts';
import { killGroup } from './kill.ts';
import type { ProcessLedger } from './process-ledger.ts';
import { identify, type ProcessIdentity } from './process-start-time.ts';
import type { ProcessTable } from './process-table.ts';
import { reap } from './reap.ts';
import { SpawnError, tooManyOpenFiles } from './spawn-error.ts';
import { type RunningChild, spawnProcess } from './spawn-process.ts';
import { createStderrTail } from './stderr-tail.ts';
import { createStopper, STOP_GRACE_MS } from './stop-process.ts';
import { createProcessTable } from './system-process-table.ts';

/** How long to wait for the last output after every process that could write it has exited. */
const DRAIN_MS = 1_000;

/**
 * Inherited by all descendants, so that those that left the group can be found. Its name must not match what agents
 * filter.
 */
const MARKER_VARIABLE = 'LIMINAL_PROCESS';

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For the ledger and the log. */
  readonly label: string;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The first reason given to `stop` or `kill`; absent when the process exited by itself. */
  readonly stopReason?: string;
}

export interface HostedProcess {
  readonly child: RunningChild;
  readonly pid: number;
  readonly label: string;
  /** Never rejects. Resolves when the process and its descendants are gone and their output has been delivered. */
  readonly exited: Promise<ProcessExit>;
  /** Closes stdin, waits 5 s, kills the whole group. */
  stop(reason: string): Promise<ProcessExit>;
  /** Kills the whole group at once. */
  kill(reason: string): Promise<ProcessExit>;
  /**
   * Ends the descendants that were started with this in their environment, by asking and then by force. Resolves when
   * they are gone, with false where there were none.
   */
  endProcesses(variable: string, value: string): Promise<boolean>;
  /** The last bytes of stderr, for error messages. */
  stderrTail(): string;
}

export interface ProcessHost {
  /** Throws a SpawnError if the program cannot be started. */
  spawn(request: SpawnRequest): HostedProcess;
  /** Stops all processes. No process can be started afterwards. */
  stopAll(reason: string): Promise<void>;
  /** Sends SIGKILL to every group, for a server that must exit in this tick. */
  killAll(reason: string): void;
}

export interface ProcessHostOptions {
  readonly ledger: ProcessLedger;
  readonly table?: ProcessTable;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly graceMs?: number;
  readonly files?: OpenFiles;
  /** Called when a process may have left descendants. Its ledger entry is kept for the sweep at the next start. */
  readonly onLeftover?: (message: string) => void;
}

export function createProcessHost(options: ProcessHostOptions): ProcessHost {
  const { ledger, table = createProcessTable(), clock = systemClock, newId = randomUUID } = options;
  const { graceMs = STOP_GRACE_MS, files = systemOpenFiles, onLeftover = () => {} } = options;
  const running = new Set<HostedProcess>();
  let closed = false;

  function start(request: SpawnRequest, id: string): { child: RunningChild; leader: ProcessIdentity } {
    writeLedger(() => ledger.announce(id));
    let child: RunningChild | undefined;
    try {
      child = spawnProcess({ ...request, env: withMarker(request.env, id) });
      // The child is not reaped before the next tick, so it is in the table even if it has exited.
      const leader = identify(table, child.pid) ?? { pid: child.pid, startTime: 'ended' };
      writeLedger(() => ledger.record(id, leader, request.label));
      return { child, leader };
    } catch (error) {
      if (child !== undefined) killGroup(child.pid);
      try {
        ledger.remove(id);
      } catch {
        // Report the first failure; the next sweep removes a leftover entry.
      }
      throw error;
    }
  }

  /** Must not throw, or `exited` would never settle. */
  async function cleanUp(id: string, leader: ProcessIdentity, label: string): Promise<void> {
    try {
      const survivors = [...(await reap([{ id, leader }], { table, clock })).values()].flat();
      if (survivors.length > 0) onLeftover(`Descendants of ${label} could not be killed: ${survivors.join(', ')}`);
      else ledger.remove(id);
    } catch (error) {
      onLeftover(`The exit of ${label} could not be confirmed: ${error}`);
    }
  }

  function spawn(request: SpawnRequest): HostedProcess {
    if (closed) throw new SpawnError('HOST_CLOSED', 'The server is shutting down; no new process is started.');
    // Agents must not take the files that pages and stores need.
    if (files.free() < reserveOf(files)) throw tooManyOpenFiles();
    const id = newId();
    const { child, leader } = start(request, id);
    const stopper = createStopper(child, clock, graceMs);
    const tail = createStderrTail();
    child.stderr.on('data', (chunk: Buffer) => tail.push(chunk));

    const drained = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const exited = new Promise<ProcessExit>((resolve) => {
      child.once('exit', async (code, signal) => {
        killGroup(child.pid);
        await cleanUp(id, leader, request.label);
        await withTimeout(clock, DRAIN_MS, drained);
        running.delete(hosted);
        resolve({ code, signal, ...(stopper.reason !== undefined && { stopReason: stopper.reason }) });
      });
    });

    const hosted: HostedProcess = {
      child,
      pid: child.pid,
      label: request.label,
      exited,
      stop(reason) {
        stopper.stop(reason);
        return exited;
      },
      kill(reason) {
        stopper.kill(reason);
        return exited;
      },
      endProcesses: (variable, value) => endDescendants({ id, variable, value }, { table, clock }),
      stderrTail: () => tail.text(),
    };
    running.add(hosted);
    return hosted;
  }

  return {
    spawn,
    async stopAll(reason) {
      closed = true;
      await Promise.all([...running].map((hosted) => hosted.stop(reason)));
    },
    killAll(reason) {
      closed = true;
      for (const hosted of running) void hosted.kill(reason);
    },
  };
}

/** A list, because a server may itself run below an agent whose server must still find it. */
function withMarker(env: NodeJS.ProcessEnv, id: string): NodeJS.ProcessEnv {
  const outer = env[MARKER_VARIABLE];
  return { ...env, [MARKER_VARIABLE]: outer ? `${outer},${id}` : id };
}

function writeLedger(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (isOutOfFiles(error)) throw tooManyOpenFiles(error);
    throw new SpawnError(
      'LEDGER_FAILED',
      'The process was not started because its record could not be written. Check free space and permissions of the data directory.',
      error,
    );
  }
}
