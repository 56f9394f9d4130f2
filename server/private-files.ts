import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';

/** A file or directory of ours that another user made, owns or could redirect. It is neither read nor written. */
export class UnsafeFileError extends AppError {
  override readonly name = 'UnsafeFileError';

  constructor(path: string, problem: string, remedy = 'Remove it, or choose another data directory with --data-dir.') {
    super('STORAGE_FAILED', `${path} ${problem}. ${remedy}`);
  }
}

/** `create` fails with EEXIST if the name is taken. `append` creates the file if needed. */
export type FileAccess = 'read' | 'append' | 'create';

export interface OpenOptions {
  /** A file that users write with their own programs: it keeps its mode, but is refused if others can write to it. */
  readonly edited?: boolean;
}

/** Not blocking, because opening a named pipe would wait for its other end. */
const FLAGS: Readonly<Record<FileAccess, number>> = {
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/** What BSD and others report for a link that O_NOFOLLOW refuses. */
const LINK_ERRORS: readonly (string | undefined)[] = ['ELOOP', 'EMLINK', 'EFTYPE'];

/**
 * Opens a file of the data directory. Every file there is opened here or by `openPrivateSync`: links are not followed,
 * and what was opened must be a regular file of this user, which afterwards only this user can access. Throws an
 * UnsafeFileError otherwise.
 */
export async function openPrivate(path: string, access: FileAccess, options: OpenOptions = {}): Promise<FileHandle> {
  const handle = await open(path, flagsOf(access), 0o600).catch((error: unknown) => {
    throw openError(error, path);
  });
  try {
    if (needsNarrowing(await handle.stat(), path, access, options)) await handle.chmod(0o600);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Like `openPrivate`. Returns the file descriptor. */
export function openPrivateSync(path: string, access: FileAccess): number {
  const file = withOpenError(path, () => openSync(path, flagsOf(access), 0o600));
  try {
    if (needsNarrowing(fstatSync(file), path, access, {})) fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

export async function readPrivate(path: string, options?: OpenOptions): Promise<Buffer> {
  const handle = await openPrivate(path, 'read', options);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function readPrivateSync(path: string): string {
  const file = openPrivateSync(path, 'read');
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Creates a directory and its parents, or takes over an existing one of this user. */
export function makePrivateDirectory(path: string): void {
  const isLink = () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (isLink()) throw new UnsafeFileError(path, 'is a link');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Windows cannot open directories.
  if (!hasOwners) return;
  const directory = withOpenError(path, () =>
    openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW),
  );
  try {
    const found = fstatSync(directory);
    checkOwner(found, path);
    if ((found.mode & 0o077) !== 0) fchmodSync(directory, 0o700);
  } finally {
    closeSync(directory);
  }
}

/** Windows has neither owners nor modes; there the access list of the home directory protects it. */
export const hasOwners = process.geteuid !== undefined;

export function isOwn({ uid }: Stats): boolean {
  return !hasOwners || uid === process.geteuid?.();
}

export function isWritableByOthers({ mode }: Stats): boolean {
  return hasOwners && (mode & 0o022) !== 0;
}

function flagsOf(access: FileAccess): number {
  return FLAGS[access] | constants.O_NOFOLLOW;
}

function needsNarrowing(stats: Stats, path: string, access: FileAccess, { edited = false }: OpenOptions): boolean {
  checkOwner(stats, path);
  // It cannot be read, which is reported as for any other file that cannot be read.
  if (stats.isDirectory()) return false;
  if (!stats.isFile()) throw new UnsafeFileError(path, 'is not a regular file');
  // A second name may be that of any other file of this user. Replaced files may have one: the lock uses links.
  if (access === 'append' && stats.nlink > 1) throw new UnsafeFileError(path, 'is a hard link to another file');
  if (edited && isWritableByOthers(stats))
    throw new UnsafeFileError(path, 'can be written by other users', `Check its content, then run: chmod 600 ${path}`);
  return !edited && hasOwners && (stats.mode & 0o077) !== 0;
}

function checkOwner(stats: Stats, path: string): void {
  if (!isOwn(stats)) throw new UnsafeFileError(path, `belongs to another user (uid ${stats.uid})`);
}

function withOpenError(path: string, run: () => number): number {
  try {
    return run();
  } catch (error) {
    throw openError(error, path);
  }
}

function openError(error: unknown, path: string): unknown {
  const isLink = LINK_ERRORS.includes((error as NodeJS.ErrnoException).code);
  return isLink ? new UnsafeFileError(path, 'is a link') : error;
}
