import { createLinuxProcessTable } from './linux-process-table.ts';
import type { ProcessTable } from './process-table.ts';
import { createPsProcessTable } from './ps-process-table.ts';

/** Throws if the process table cannot be read, because then no process may be killed and no stale lock be broken. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  const table = platform === 'linux' ? createLinuxProcessTable() : createPsProcessTable();
  if (table.find(process.pid) === undefined) {
    throw new Error(`The process table of this system (${platform}) cannot be read. It needs /proc or the ps command.`);
  }
  return table;
}
