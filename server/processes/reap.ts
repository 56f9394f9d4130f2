import type { Clock } from '../clock.ts';
import { killQuietly } from './kill.ts';
import type { ProcessIdentity } from './process-start-time.ts';
import type { ProcessTable, ScannedProcess } from './process-table.ts';

const PAUSE_MS = 10;
const MAX_PASSES = 200;

export interface ReapOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** What the child and its descendants carry in their environment. */
  readonly mark: string;
  readonly leader?: ProcessIdentity;
}

/**
 * Kills what is left of a child: its group, and descendants that went into groups of their own (agents run tools that
 * way). Looks again until nothing is found, because what forks faster than it is killed shows up only in the next
 * look. Answers with what could not be killed, as a rule nothing.
 *
 * Never kills a stranger. A marked process is ours: the mark is a fresh UUID that only our child was given. A group is
 * ours if its leader is the very process we started, or if a marked process is in it: the system does not give a
 * group's number away while the group has a member.
 */
export async function reap(options: ReapOptions): Promise<number[]> {
  let found = findOurs(options);
  for (let pass = 0; found.length > 0 && pass < MAX_PASSES; pass += 1) {
    for (const pid of found) killQuietly(pid);
    await new Promise<void>((resolve) => options.clock.setTimeout(resolve, PAUSE_MS));
    found = findOurs(options);
  }
  return found;
}

function findOurs({ table, mark, leader }: ReapOptions): number[] {
  const processes = table.scan(mark);
  const isLeader = (row: ScannedProcess) => row.pid === leader?.pid && row.startTime === leader.startTime;
  const groupIsOurs = processes.some((row) => isLeader(row) || (row.marked && row.groupId === leader?.pid));
  return processes
    .filter((row) => row.marked || (groupIsOurs && row.groupId === leader?.pid))
    .map((row) => row.pid)
    .filter((pid) => pid !== process.pid);
}
