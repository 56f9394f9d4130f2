/**
 * Kills a group whose leader is our child. Only to be called while the leader has not been waited for, or in the very
 * tick in which it was: as long as that holds the number cannot mean another group.
 */
export function killGroup(leaderPid: number): void {
  killQuietly(-leaderPid);
}

/** A process that is gone already (ESRCH) is what was wanted; one that may not be killed (EPERM) cannot be helped. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
