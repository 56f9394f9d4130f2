/** `12:03`, with the date if it is not of the same day as `now`. */
export function clockTime(iso: string, now: number): string {
  const then = new Date(iso);
  const time = then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  if (then.toDateString() === new Date(now).toDateString()) return time;
  return `${then.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}
