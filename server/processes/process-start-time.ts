import type { ProcessTable } from './process-table.ts';
import { createProcessTable } from './system-process-table.ts';

/** Identifies a process permanently; a pid alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export interface ProcessProbe {
  readonly self: ProcessIdentity;
  isRunning(identity: ProcessIdentity): boolean;
}

export function createProcessProbe(table: ProcessTable = createProcessTable()): ProcessProbe {
  const self = identify(table, process.pid);
  if (self === undefined) throw new Error('This process is not in the process table.');
  return { self, isRunning: (identity) => isSameProcess(table, identity) };
}

export function identify(table: ProcessTable, pid: number): ProcessIdentity | undefined {
  const row = table.find(pid);
  return row && { pid, startTime: row.startTime };
}

export function isSameProcess(table: ProcessTable, identity: ProcessIdentity): boolean {
  return table.find(identity.pid)?.startTime === identity.startTime;
}
