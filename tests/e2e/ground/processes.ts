import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';

export interface AgentProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** The id of the process and of its group. */
  readonly pid: number;
  readonly exited: Promise<unknown>;
}

interface SpawnOptions {
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts a program as the leader of its own process group, which is killed if the test fails. */
export function spawnAgent(command: string, args: readonly string[], { cwd, env }: SpawnOptions): AgentProcess {
  const child = spawn(command, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started.`);
  onTestFinished(() => killGroup(pid));
  return { child, pid, exited: once(child, 'exit') };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export interface LiveProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes of an agent: those in its group and those that inherited its scratch home. */
export function processesOf(agent: { readonly group: number; readonly home: string }): readonly LiveProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProc(name, 'stat');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const inherited = readProc(name, 'environ').split('\0').includes(`HOME=${agent.home}`);
      const mine = stat !== '' && state !== 'Z' && (Number(group) === agent.group || inherited);
      return mine ? [{ pid: Number(name), command: readProc(name, 'cmdline').replaceAll('\0', ' ') }] : [];
    });
}

/** Empty if the process has ended. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
