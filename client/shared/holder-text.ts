import type { Holder } from '../../shared/entities.ts';
import { clockTime } from './clock-time.ts';

/** Where a session is open besides here. Without a terminal that is known, it may be an editor. */
export function holderPlace({ tty, certain }: Holder): string {
  const where = tty === undefined ? 'another program' : 'a terminal';
  return certain ? `Open in ${where}` : `May be open in ${where}`;
}

const DOES: Readonly<Record<NonNullable<Holder['status']>, string>> = {
  idle: '',
  busy: 'working',
  waiting: 'waiting for an answer',
};

/** What is known of a holder: `pts/3, process 1234, since 12:03`. */
export function holderFacts({ tty, pid, since, status }: Holder, now: number): string {
  const facts = [
    tty,
    pid === undefined ? '' : `process ${pid}`,
    since === undefined ? '' : `since ${clockTime(since, now)}`,
    status === undefined ? '' : DOES[status],
  ];
  return facts.filter(Boolean).join(', ');
}
