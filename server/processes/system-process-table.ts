import { createLinuxProcessTable } from './linux-process-table.ts';
import type { ProcessTable } from './process-table.ts';
import { createPsProcessTable } from './ps-process-table.ts';

/** Throws on a system whose processes cannot be told apart: without that, nothing may be killed and no lock broken. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  const table = platform === 'linux' ? createLinuxProcessTable() : createPsProcessTable();
  if (table.find(process.pid) === undefined) {
    throw new Error(`The process table of this system (${platform}) cannot be read. It needs /proc or the ps command.`);
  }
  return table;
}
