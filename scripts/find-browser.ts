import { findOnPath, installPackages, isProgram } from './programs-on-path.ts';

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
  const find = () => findOnPath(NAMES, env) ?? MAC.find(isProgram);
  const found = find();
  if (found !== undefined) return found;
  installPackages('chromium', 'fonts-dejavu-core');
  const installed = find();
  if (installed !== undefined) return installed;
  throw new Error(
    'The browser tests need Chromium or Google Chrome. Install one (Debian: apt-get install chromium) or set CHROME_PATH.',
  );
}
