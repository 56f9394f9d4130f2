import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { describeOutOfFiles, isOutOfFiles, systemOpenFiles } from '../open-files.ts';

export type SpawnErrorCode =
  | 'COMMAND_NOT_FOUND'
  | 'COMMAND_NOT_EXECUTABLE'
  | 'CWD_INVALID'
  /** The ledger could not be written, so the process was not started. */
  | 'LEDGER_FAILED'
  /** The host is shutting down. */
  | 'HOST_CLOSED'
  | 'TOO_MANY_OPEN_FILES'
  | 'SPAWN_FAILED';

export class SpawnError extends Error {
  override readonly name = 'SpawnError';
  readonly code: SpawnErrorCode;

  constructor(code: SpawnErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Pipes with both ends, and what the system needs until the program runs. */
const NEEDED_FILES = 10;

export function tooManyOpenFiles(cause?: unknown): SpawnError {
  return new SpawnError('TOO_MANY_OPEN_FILES', describeOutOfFiles(), cause);
}

export interface Invocation {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds out why a spawn failed. The system reports ENOENT for a missing command, working directory or script
 * interpreter, and EACCES for several causes, so the file system is inspected afterwards.
 */
export function explainSpawnFailure({ command, cwd, env }: Invocation, cause?: unknown): SpawnError {
  if (!isUsableDirectory(cwd)) {
    return new SpawnError('CWD_INVALID', `The working directory ${cwd} does not exist or cannot be accessed.`, cause);
  }
  const files = candidates(command, cwd, env).filter(isFile);
  if (files.length === 0) {
    return new SpawnError(
      'COMMAND_NOT_FOUND',
      `The command "${command}" was not found. Check that it's installed and on the PATH.`,
      cause,
    );
  }
  if (!files.some(isExecutable)) {
    return new SpawnError('COMMAND_NOT_EXECUTABLE', `The file ${files[0]} is not executable.`, cause);
  }
  if (isOutOfFiles(cause) || systemOpenFiles.free() < NEEDED_FILES) return tooManyOpenFiles(cause);
  return new SpawnError(
    'SPAWN_FAILED',
    `The command "${command}" could not be started. Its interpreter may be missing, or the system is out of processes.`,
    cause,
  );
}

function candidates(command: string, cwd: string, env: NodeJS.ProcessEnv): string[] {
  if (command.includes('/')) return [resolve(cwd, command)];
  return (env.PATH ?? '').split(delimiter).map((directory) => resolve(cwd, directory, command));
}

function isUsableDirectory(path: string): boolean {
  return isExecutable(path) && statSync(path).isDirectory();
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
