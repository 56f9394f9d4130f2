import { execFileSync } from 'node:child_process';
import type { ProcessTable, ScannedProcess } from './process-table.ts';

const COLUMNS = 'pid=,pgid=,stat=,lstart=';
const ROW = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3} +\d+ [\d:]{8} \d{4})(?: +(.*))?$/;

/** For systems without /proc, such as macOS, where -E prints the environment after the command. */
export function createPsProcessTable(run: (args: string[]) => string = runPs): ProcessTable {
  return {
    find: (pid) => parsePs(run(['-o', COLUMNS, '-p', String(pid)]))[0],
    scan: () => parsePs(run(['-A', '-E', '-ww', '-o', `${COLUMNS},command=`])),
  };
}

export function parsePs(output: string): ScannedProcess[] {
  const rows: ScannedProcess[] = [];
  for (const line of output.split('\n')) {
    const [, pid, group, state, startTime, environment = ''] = ROW.exec(line) ?? [];
    if (startTime === undefined || state?.startsWith('Z')) continue;
    rows.push({ pid: Number(pid), groupId: Number(group), startTime, environment });
  }
  return rows;
}

/** ps exits with 1 and prints nothing when no process matches. */
function runPs(args: string[]): string {
  try {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    if ((error as { status?: unknown }).status === 1) return '';
    throw error;
  }
}
