import { readdirSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;
const KIB_PER_MIB = 1024;
/** USER_HZ, which Linux fixes at this value. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process in MiB. NaN if it has exited. */
export function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status'))?.[1];
  return kib === undefined ? Number.NaN : Number(kib) / KIB_PER_MIB;
}

/** Resident memory of a process and its descendants. Shared pages are counted once per process. */
export function treeResidentMib(pid: number): number {
  return [pid, ...descendantsOf(pid)].map(residentMib).reduce((sum, mib) => sum + (Number.isNaN(mib) ? 0 : mib), 0);
}

/** Open files, sockets and pipes. */
export function handleCount(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}

/** Seconds of CPU time that the process has used on all cores. */
export function processorSeconds(pid: number): number {
  const stat = readProc(pid, 'stat');
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) / TICKS_PER_SECOND;
}

export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProc(Number(name), 'stat');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (parent: number): number[] => (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

export const toMib = (bytes: number): number => bytes / MIB;

/** Empty if the process has exited. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
