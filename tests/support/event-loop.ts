import { readFileSync } from 'node:fs';

/**
 * Returns the longest time in ms for which nothing else could run. On Linux only the processor time of this thread
 * counts, so that other programs on the machine do not.
 */
export function watchEventLoop(): () => number {
  let longest = 0;
  let last = threadTime();
  const timer = setInterval(() => {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function threadTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
