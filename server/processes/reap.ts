import type { Clock } from '../clock.ts';
import { killQuietly } from './kill.ts';
import type { ProcessIdentity } from './process-start-time.ts';
import type { ProcessTable, ScannedProcess } from './process-table.ts';

const PAUSE_MS = 10;
const MAX_PASSES = 200;
/** A process that is just replacing its program shows no environment for a moment. */
const ENOUGH_EMPTY_LOOKS = 2;

/** One child and all that descends from it. */
export interface Family {
  /** What the child and its descendants carry in their environment. */
  readonly id: string;
  readonly leader?: ProcessIdentity;
}

/**
 * Kills what is left of children: their groups, and descendants that went into groups of their own (agents run tools
 * that way). Looks again until nothing is found, because what forks faster than it is killed shows up only in the next
 * look. Answers with the pids that could not be killed, by family; as a rule there are none.
 *
 * Never kills a stranger. A process with the mark is ours: the mark is a fresh UUID that only our child was given. A
 * group is ours if its leader is the very process we started, or if a process with the mark is in it: the system does
 * not give a group's number away while the group has a member.
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
  const isMarked = (row: ScannedProcess) => row.environment.includes(id);
  const isLeader = (row: ScannedProcess) => row.pid === leader?.pid && row.startTime === leader.startTime;
  const group = processes.filter((row) => row.groupId === leader?.pid);
  const groupIsOurs = group.some((row) => isLeader(row) || isMarked(row));
  return processes.filter((row) => isMarked(row) || (groupIsOurs && group.includes(row))).map(({ pid }) => pid);
}
