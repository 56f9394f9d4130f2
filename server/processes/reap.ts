import type { Clock } from '../clock.ts';
import { killQuietly } from './kill.ts';
import type { ProcessIdentity } from './process-start-time.ts';
import type { ProcessTable, ScannedProcess } from './process-table.ts';

const PAUSE_MS = 10;
const MAX_PASSES = 200;
/** A process shows no environment for a moment while it executes another program. */
const ENOUGH_EMPTY_LOOKS = 2;

/** A child and all its descendants. */
export interface Family {
  /** The marker in the environment of the child and its descendants. */
  readonly id: string;
  readonly leader?: ProcessIdentity;
}

/**
 * Kills what is left of children: their groups, and descendants in other groups (agents run tools that way). Scans
 * until nothing is found, because processes that fork faster than they are killed show up only in the next scan.
 * Returns the pids that could not be killed, by family.
 *
 * Never kills an unrelated process. A process with the marker is ours, because the marker is a random UUID given only
 * to our child. A group is ours if its leader is the process we started or if it contains a process with the marker:
 * the system does not reuse the id of a group that has members.
 */
export async function reap<F extends Family>(
  families: readonly F[],
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<Map<F, number[]>> {
  let found = findMembers(families, table);
  let emptyLooks = 0;
  for (let pass = 0; families.length > 0 && pass < MAX_PASSES; pass += 1) {
    emptyLooks = found.size === 0 ? emptyLooks + 1 : 0;
    if (emptyLooks === ENOUGH_EMPTY_LOOKS) break;
    for (const pid of [...found.values()].flat()) killQuietly(pid);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, PAUSE_MS));
    found = findMembers(families, table);
  }
  return found;
}

/** Only families that still have members. */
function findMembers<F extends Family>(families: readonly F[], table: ProcessTable): Map<F, number[]> {
  const processes = families.length === 0 ? [] : table.scan().filter(({ pid }) => pid !== process.pid);
  const found = new Map<F, number[]>();
  for (const family of families) {
    const members = membersOf(family, processes);
    if (members.length > 0) found.set(family, members);
  }
  return found;
}

function membersOf({ id, leader }: Family, processes: readonly ScannedProcess[]): number[] {
  const hasMarker = (row: ScannedProcess) => row.environment.includes(id);
  const isLeader = (row: ScannedProcess) => row.pid === leader?.pid && row.startTime === leader.startTime;
  const group = processes.filter((row) => row.groupId === leader?.pid);
  const groupIsOurs = group.some((row) => isLeader(row) || hasMarker(row));
  return processes.filter((row) => hasMarker(row) || (groupIsOurs && group.includes(row))).map(({ pid }) => pid);
}
