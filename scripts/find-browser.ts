import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Finds a browser for the tests: CHROME_PATH, one on PATH, or one installed by the package manager. */
export function findBrowser(env: NodeJS.ProcessEnv): string {
  const asked = env.CHROME_PATH;
  if (asked) {
    if (isProgram(asked)) return asked;
    throw new Error(`CHROME_PATH: ${asked} is not a program. Set it to Chromium or Google Chrome.`);
  }
  const found = onPath(env);
  if (found !== undefined) return found;
  install();
  const installed = onPath(env);
  if (installed !== undefined) return installed;
  throw new Error(
    'The browser tests need Chromium or Google Chrome. Install one (Debian: apt-get install chromium) or set CHROME_PATH.',
  );
}

function onPath(env: NodeJS.ProcessEnv): string | undefined {
  const directories = (env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return [...directories.flatMap((directory) => NAMES.map((name) => join(directory, name))), ...MAC].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Only where no password is needed: as root on Debian. */
function install(): void {
  if (process.getuid?.() !== 0 || !isProgram('/usr/bin/apt-get')) return;
  console.log('No browser found; installing chromium with apt-get …');
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], options);
}
