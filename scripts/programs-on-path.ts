import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these programs that is in a directory of PATH. */
export function findOnPath(names: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.flatMap((directory) => names.map((name) => join(directory, name))).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Only where no password is needed: as root on Debian. */
export function installPackages(...names: readonly string[]): void {
  if (process.getuid?.() !== 0 || !isProgram('/usr/bin/apt-get')) return;
  console.log(`Installing ${names.join(', ')} with apt-get …`);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], options);
}
