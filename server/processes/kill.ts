/**
 * Kills the process group of our child. Call it only before the child has been reaped, or in the same tick: only until
 * then its pid cannot belong to another group.
 */
export function killGroup(leaderPid: number): void {
  killQuietly(-leaderPid);
}

/** Ignores processes that are already gone (ESRCH) or that we may not kill (EPERM). */
export function killQuietly(pid: number, signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
