import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { explainSpawnFailure, type Invocation } from './spawn-error.ts';

export interface SpawnOptions extends Invocation {
  readonly args: readonly string[];
}

/** A child that really runs: it has a pid. */
export type RunningChild = ChildProcessWithoutNullStreams & { readonly pid: number };

/**
 * Starts a program by argument vector, never through a shell, as the leader of its own process group, so that it and
 * its descendants can be ended together. Throws a SpawnError at once where it cannot run; afterwards neither the child
 * nor its streams crash the server: a write to a child that has ended is dropped, its exit tells.
 */
export function spawnProcess(options: SpawnOptions): RunningChild {
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      shell: false,
      stdio: 'pipe',
      windowsHide: true,
    });
  } catch (error) {
    throw explainSpawnFailure(options, error);
  }
  for (const emitter of [child, child.stdin, child.stdout, child.stderr]) emitter?.on('error', () => {});
  if (!isRunning(child)) throw explainSpawnFailure(options);
  return child;
}

/** Without a pid the spawn failed, although the event that says so is still to come. */
function isRunning(child: ChildProcessWithoutNullStreams): child is RunningChild {
  return child.pid !== undefined;
}
