/** `< 0.1 s`, `0.4 s`, `12 s`, `3 m 20 s`, `1 h 5 m`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return '< 0.1 s';
  const seconds = ms / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  return formatWholeSeconds(ms);
}

/** The same without fractions, for durations that count up. */
export function formatWholeSeconds(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
