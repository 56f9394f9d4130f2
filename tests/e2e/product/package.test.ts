import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type BuiltProduct, buildProduct } from '../../support/product/built-product.ts';
import { startServerProcess } from '../../support/product/server-process.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const run = promisify(execFile);
const MAX_PACKED_BYTES = 1.5 * 1024 * 1024;

let product: BuiltProduct;
let packed: Packed;
beforeAll(async () => {
  product = await buildProduct({ withPages: true });
  packed = await pack();
});
afterAll(() => product.remove());

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

async function pack(): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json'], { cwd: product.directory });
  const [result] = JSON.parse(stdout) as Packed[];
  if (result === undefined) throw new Error('npm packed nothing.');
  return result;
}

/**
 * Without --global, because npm ignores --omit=optional there and would install the agents. Offline, so that nothing
 * can be downloaded.
 */
async function install(): Promise<{ readonly command: string; readonly packages: string[] }> {
  const place = scratchDirectory();
  const tarball = join(product.directory, packed.filename);
  await run('npm', ['install', '--prefix', place, tarball, '--omit=optional', '--offline', '--no-audit', '--no-fund']);
  const modules = join(place, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));
  return { command: join(modules, '.bin', 'liminal-builder'), packages };
}

/** Hides the agents of this machine. */
function pathWithNodeAlone(): string {
  const directory = scratchDirectory();
  symlinkSync(process.execPath, join(directory, 'node'));
  return directory;
}

test('the package contains the built server and pages, the licences, and no sources', () => {
  const { files, size } = packed;
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'bin/liminal-builder.mjs',
      'dist/client/index.html',
      'dist/client/portlet/index.html',
      'dist/client/THIRD-PARTY-LICENSES.md',
      'dist/server/main.js',
      'dist/server/THIRD-PARTY-LICENSES.md',
      'examples/echo-agent.mjs',
      'LICENSE',
      'README.md',
    ]),
  );
  expect(paths.filter((path) => path.endsWith('.ts') || path.includes('node_modules'))).toEqual([]);
  expect(size).toBeLessThan(MAX_PACKED_BYTES);
});

test('installed into an empty directory without agents, it needs no other package, serves its pages and stops', async () => {
  const { command, packages } = await install();
  expect(packages).toEqual(['liminal-builder']);

  const home = scratchDirectory();
  const dataDir = join(home, 'data');
  const env = { PATH: pathWithNodeAlone(), HOME: home };
  const server = await startServerProcess({ command: [command], dataDir, env });
  onTestFinished(() => void server.stop('SIGKILL'));
  expect(server.stderr()).toBe('');

  const health = await fetch(`${server.origin}/api/health`);
  const { version } = JSON.parse(readFileSync(join(product.directory, 'package.json'), 'utf8')) as { version: string };
  expect(await health.json()).toMatchObject({
    ok: true,
    version,
    providers: [
      { cliType: 'claude-code', available: false, reason: expect.stringContaining('not installed') },
      { cliType: 'codex', available: false, reason: expect.stringContaining('install') },
    ],
  });

  const page = await (await fetch(`${server.origin}/`)).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets.length).toBeGreaterThan(1);
  const answers = await Promise.all(assets.map((path) => fetch(`${server.origin}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual(assets.map(() => 200));

  expect(await server.stop()).toMatchObject({ code: 0, signal: null });
});
