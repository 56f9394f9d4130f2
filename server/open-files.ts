import { readdirSync, readFileSync } from 'node:fs';
import { AppError } from '../shared/errors.ts';

/** How many files, sockets and pipes this process may have open at once (its file descriptors), and how many it has. */
export interface OpenFiles {
  /** Infinity where it is unknown. */
  readonly limit: number;
  /** How many more can be opened. */
  free(): number;
}

/** Node raises the soft limit to the hard one at start, so this is what `ulimit -Hn` says. */
export const systemOpenFiles: OpenFiles = {
  limit: readLimit(),
  free: () => Math.max(0, systemOpenFiles.limit - countOpen()),
};

/** What is kept free for connections and files: with less, no process is started. */
export function reserveOf({ limit }: OpenFiles): number {
  return Math.min(64, Math.floor(limit / 8));
}

/** How many connections strangers may hold. */
export function waitingShareOf({ limit }: OpenFiles): number {
  return Math.min(1_024, Math.floor(limit / 4));
}

/** Below this, a few agents and windows are too many. */
const LOW_LIMIT = 1_024;

/** A sentence for users whose limit is low. */
export function describeLowLimit({ limit }: OpenFiles): string | undefined {
  if (limit >= LOW_LIMIT) return undefined;
  return `The limit of open files is ${limit}, which is enough for a few sessions only. ${REMEDY}`;
}

const REMEDY = 'Start the server with a higher limit: ulimit -n 4096';

const CODES: readonly unknown[] = ['EMFILE', 'ENFILE', 'TOO_MANY_OPEN_FILES'];

/** Whether this error, or one that caused it, is a lack of file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && CODES.includes(cause.code)) return true;
  }
  return false;
}

export function describeOutOfFiles(files: OpenFiles = systemOpenFiles): string {
  const { limit } = files;
  const open = limit - files.free();
  return `Too many open files: ${open} of the ${limit} that this server may have are in use. Close sessions that you do not need. ${REMEDY}`;
}

/** The error that names a lack of file descriptors, or the same error if that is not its cause. */
export function nameOutOfFiles(error: unknown): unknown {
  if (!isOutOfFiles(error) || (error instanceof AppError && error.code === 'TOO_MANY_OPEN_FILES')) return error;
  return new AppError('TOO_MANY_OPEN_FILES', describeOutOfFiles(), { cause: error });
}

function readLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return reportedLimit();
  }
}

/** Slower, but everywhere. */
function reportedLimit(): number {
  const report: unknown = process.report?.getReport();
  const soft = field(field(field(report, 'userLimits'), 'open_files'), 'soft');
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function countOpen(): number {
  for (const directory of ['/proc/self/fd', '/dev/fd']) {
    try {
      // One of them is the directory itself.
      return readdirSync(directory).length - 1;
    } catch (error) {
      if (isOutOfFiles(error)) return systemOpenFiles.limit;
    }
  }
  return 0;
}
