import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TOP = ['shared', 'server', 'client', 'scripted-model', 'bench', 'scripts', 'bin', 'examples', 'tests'];

/** Every TypeScript and JavaScript module of the repository, by its path from the root. */
export function readSources(): Map<string, string> {
  const paths = TOP.flatMap((top) =>
    readdirSync(`${root}${top}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.m?[jt]s$/.test(path) && !path.endsWith('.d.ts'))
      .map((path) => `${top}/${path}`),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(`${root}${path}`, 'utf8')]));
}
