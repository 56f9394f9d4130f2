import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { explainSpawnFailure, type Invocation } from './spawn-error.ts';

export interface SpawnOptions extends Invocation {
  readonly args: readonly string[];
}

/** A child that was started and therefore has a pid. */
export type RunningChild = ChildProcessWithoutNullStreams & { readonly pid: number };

/**
 * Starts a program with an argument vector, never through a shell, as the leader of its own process group, so that it
 * can be killed together with its descendants. Throws a SpawnError if it cannot be started. Errors of the child's
 * streams are ignored: a write to a child that has exited is dropped, and its exit is reported anyway.
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

/** Without a pid the spawn has failed; its error event comes later. */
function isRunning(child: ChildProcessWithoutNullStreams): child is RunningChild {
  return child.pid !== undefined;
}
