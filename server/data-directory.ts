import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { UsageError } from './config.ts';
import { hasOwners, isOwn, isWritableByOthers } from './private-files.ts';
import { AGENTS_FILE } from './providers/agents-config.ts';

/**
 * Creates the data directory if needed and checks that it belongs to this user alone and is writable. Throws a
 * UsageError otherwise.
 */
export async function prepareDataDirectory(path: string): Promise<void> {
  const problem = await makeDirectory(path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  await refuseUnsafe(path);
  if (problem !== undefined) {
    throw new UsageError(`--data-dir: ${path} cannot be created (${problem.code}). Name a directory you can write to.`);
  }
  await refuseUnsafePath(path);
  // Older versions used directories that others could read.
  if (hasOwners) await chmod(path, 0o700);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--data-dir: ${path} cannot be written to (${error.code}). Name a directory you can write to.`,
    );
  });
  await refuseForeignEntries(path);
}

async function refuseUnsafe(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (found.isSymbolicLink()) {
    const target = await realpath(path).catch(() => undefined);
    const remedy = target === undefined ? 'Remove it, or name a directory.' : `Name the directory itself: ${target}`;
    throw new UsageError(`--data-dir: ${path} is a link. ${remedy}`);
  }
  if (!found.isDirectory()) throw new UsageError(`--data-dir: ${path} is a file. Name a directory.`);
  if (!isOwn(found)) {
    throw new UsageError(
      `--data-dir: ${path} belongs to another user (uid ${found.uid}). Name a directory of your own.`,
    );
  }
  if (isWritableByOthers(found)) {
    throw new UsageError(
      `--data-dir: other users can write to ${path}, so its files may not be yours. Check them, then run: chmod 700 ${path}`,
    );
  }
}

/** What another user put there while others could write to the directory. Its agents are reported when they are read. */
async function refuseForeignEntries(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    const entry = join(path, name);
    const found = await lstat(entry).catch(() => undefined);
    if (found === undefined || isOwn(found) || name === AGENTS_FILE) continue;
    throw new UsageError(
      `--data-dir: ${entry} belongs to another user (uid ${found.uid}). Remove it, or name another directory.`,
    );
  }
}

/**
 * Nobody else may be able to make the path lead elsewhere. Parents that a group can write to are accepted: what a member
 * puts in place of the directory or of a file belongs to that member and is refused for that reason.
 */
async function refuseUnsafePath(path: string): Promise<void> {
  const { root } = parse(path);
  const rest = dirname(path).slice(root.length).split(sep).filter(Boolean);
  let current = root;
  for (let links = 0; ; ) {
    const found = await lstat(current);
    if (found.isSymbolicLink()) {
      links += 1;
      if ((found.uid !== 0 && !isOwn(found)) || links > MAX_LINKS) {
        throw new UsageError(
          `--data-dir: ${path} leads through ${current}, a link of another user. Name another path.`,
        );
      }
      const target = resolve(dirname(current), await readlink(current));
      rest.unshift(...target.slice(root.length).split(sep).filter(Boolean));
      current = root;
    } else if (hasOwners && isWritableByAll(found.mode)) {
      throw new UsageError(
        `--data-dir: everybody can write to ${current}, where ${path} is. Name a directory elsewhere, or run: chmod o-w ${current}`,
      );
    }
    const next = rest.shift();
    if (next === undefined) return;
    current = join(current, next);
  }
}

const MAX_LINKS = 40;

/** In a sticky directory like /tmp, only the owner of an entry can rename it. */
function isWritableByAll(mode: number): boolean {
  return (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
}

/** Avoids `recursive`, which never returns where a parent exists but cannot hold directories, as in /proc. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await makeSingle(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await makeSingle(path);
  }
}

async function makeSingle(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
