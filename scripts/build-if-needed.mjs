// Plain JavaScript because it runs before anything is built.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', '.built-from');
const inputs = [
  'shared',
  'server',
  'client',
  'scripted-model',
  'scripts',
  'package.json',
  'vite.config.ts',
  'vite.server.config.ts',
  'package-lock.json',
];

/** A fingerprint of the sources: every file with its size and modification time. */
function fingerprint() {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const found = statSync(path);
    if (found.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(`${path}\0${found.size}\0${found.mtimeMs}\n`);
  };
  for (const input of inputs) if (existsSync(join(root, input))) add(join(root, input));
  return hash.digest('hex');
}

/** Builds pages and server unless the last build was made from the same sources. */
export function buildIfNeeded() {
  const current = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  process.stderr.write('Building Liminal Builder…\n');
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, current);
}
