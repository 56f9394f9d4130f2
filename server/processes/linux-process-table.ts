import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessRow, ProcessTable, ScannedProcess } from './process-table.ts';

/** Reads /proc. Synchronous, so that nothing happens between inspecting a process and signalling it. */
export function createLinuxProcessTable(proc = '/proc'): ProcessTable {
  const bootId = readIfExists(`${proc}/sys/kernel/random/boot_id`)?.trim() ?? '';

  const find = (pid: number): ProcessRow | undefined => {
    const stat = readIfExists(`${proc}/${pid}/stat`);
    return stat === undefined ? undefined : parseStat(stat, bootId);
  };

  return {
    find,
    scan() {
      const found: ScannedProcess[] = [];
      for (const name of readdirSync(proc)) {
        const row = /^\d+$/.test(name) ? find(Number(name)) : undefined;
        if (row === undefined) continue;
        found.push({ ...row, environment: readIfExists(`${proc}/${name}/environ`) ?? '' });
      }
      return found;
    },
  };
}

/**
 * `pid (name) state ppid group session …`, with the start time in clock ticks since boot as field 22. The name may
 * contain spaces and parentheses, so fields are counted from the last parenthesis.
 */
export function parseStat(stat: string, bootId: string): ProcessRow | undefined {
  const [state, , group, , ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = rest[15];
  if (state === 'Z' || state === 'X' || group === undefined || ticks === undefined) return undefined;
  return { pid: Number.parseInt(stat, 10), groupId: Number(group), startTime: `${bootId}:${ticks}` };
}

/** Undefined for a process that is gone or belongs to another user; neither can be ours. */
function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}
