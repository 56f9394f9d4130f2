import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';

export interface ProjectPathOptions {
  /** The directory that `~` stands for. */
  readonly home?: string;
  readonly canRead?: (directory: string) => Promise<boolean>;
}

/**
 * Resolves symlinks, `..`, `~` and trailing slashes to the real path of a directory. Throws PROJECT_PATH_INVALID with a
 * message that says what is wrong and what to do.
 */
export async function resolveProjectPath(input: string, options: ProjectPathOptions = {}): Promise<string> {
  const { home = homedir(), canRead = isReadable } = options;
  const written = expandHome(input.trim(), home);
  // A relative path would depend on the server's working directory, which the user in the browser does not know.
  if (!isAbsolute(written)) throw invalid(input, 'is not an absolute path. Enter one that starts with / or ~/');

  const { path, isDirectory } = await inspect(written).catch((error: unknown) => {
    throw invalid(input, 'does not exist or cannot be accessed. Enter an existing directory', error);
  });
  if (!isDirectory) throw invalid(input, 'is not a directory. Enter an existing directory');
  if (!(await canRead(path))) throw invalid(input, 'cannot be read. Change its permissions, or choose another one');
  return path;
}

async function inspect(written: string): Promise<{ path: string; isDirectory: boolean }> {
  const path = await realpath(written);
  return { path, isDirectory: (await stat(path)).isDirectory() };
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

async function isReadable(directory: string): Promise<boolean> {
  return access(directory, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function invalid(path: string, problem: string, cause?: unknown): AppError {
  return new AppError('PROJECT_PATH_INVALID', `"${path}" ${problem}.`, { details: { path }, cause });
}
