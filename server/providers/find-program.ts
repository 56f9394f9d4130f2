import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Whether a command can be run: a path as it is, a bare name on the PATH. */
export function findProgram(command: string, path: string | undefined): string | undefined {
  const candidates =
    isAbsolute(command) || command.includes('/')
      ? [command]
      : (path ?? '').split(delimiter).map((folder) => join(folder, command));
  return candidates.find(isExecutableFile);
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
