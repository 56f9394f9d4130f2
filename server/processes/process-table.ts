import { createLinuxProcessTable } from './linux-process-table.ts';
import { createPsProcessTable } from './ps-process-table.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly groupId: number;
  /** Opaque. Together with the pid it names one process for ever, across reuse of the pid and across reboots. */
  readonly startTime: string;
}

export interface ScannedProcess extends ProcessRow {
  /** The environment the process was started with, as one text; empty where it may not be read. */
  readonly environment: string;
}

/** The system's processes. A zombie counts as gone: it can neither run nor be killed. */
export interface ProcessTable {
  find(pid: number): ProcessRow | undefined;
  scan(): ScannedProcess[];
}

/** Throws on a system whose processes cannot be told apart: without that, nothing may be killed and no lock broken. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  const table = platform === 'linux' ? createLinuxProcessTable() : createPsProcessTable();
  if (table.find(process.pid) === undefined) {
    throw new Error(`The process table of this system (${platform}) cannot be read. It needs /proc or the ps command.`);
  }
  return table;
}
