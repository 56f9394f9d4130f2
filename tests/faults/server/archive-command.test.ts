import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { plainAddress } from '../../support/product/plain-address.ts';
import type { ServerExit } from '../../support/product/server-process.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

const run = (home: string, ...args: string[]): Promise<ServerExit> => runServer({ home, args }).exited;

async function projectsOf(url: string): Promise<{ path: string }[]> {
  const { origin, token } = plainAddress(url);
  const answer = await fetch(`${origin}/api/project`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { projects: { path: string }[] }).projects;
}

async function addProject(url: string, path: string): Promise<void> {
  const { origin, token } = plainAddress(url);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${origin}/api/project`, { method: 'POST', headers, body: JSON.stringify({ path }) });
}

/** A data directory that a server has used; the server still runs. */
async function usedHome() {
  const home = scratchDirectory();
  mkdirSync(join(home, 'project'));
  const server = runServer({ home });
  const url = await server.ready();
  await addProject(url, join(home, 'project'));
  const stop = async () => {
    server.child.kill('SIGTERM');
    await server.exited;
  };
  return { home, dataDir: join(home, '.liminal-builder'), file: join(home, 'all.tar.gz'), url, stop };
}

it('keep/export-all keep/import another machine goes on with the data, with a token of its own', async () => {
  const { home, dataDir, file, url, stop } = await usedHome();
  const projects = await projectsOf(url);

  const busy = await run(home, 'export', file);
  expect(busy).toMatchObject({ code: 1, stdout: '' });
  expect(busy.stderr).toMatch(/^liminal-builder: A server \(process \d+\) is using .*Stop it.*\n$/);
  expect(existsSync(file)).toBe(false);

  await stop();
  expect(await run(home, 'export', file)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Exported .*\n$/),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = readFileSync(join(dataDir, 'token'), 'utf8').trim();
  const { seed } = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')) as { seed: string };
  const content = gunzipSync(readFileSync(file)).toString('latin1');
  for (const secret of [token, seed, 'owner.json', 'server.log']) expect(content).not.toContain(secret);

  const elsewhere = join(home, 'new', 'place');
  const imported = await run(home, 'import', file, '--data-dir', elsewhere);
  expect(imported).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Imported .*\n$/) });
  expect(statSync(elsewhere).mode & 0o777).toBe(0o700);
  const server = runServer({ home, args: ['--data-dir', elsewhere] });
  expect(await projectsOf(await server.ready())).toEqual(projects);
  expect(readFileSync(join(elsewhere, 'token'), 'utf8').trim()).not.toBe(token);
  server.child.kill('SIGTERM');
  await server.exited;

  const again = await run(home, 'import', file, '--data-dir', elsewhere);
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/is not empty.*--data-dir/) });
  const reader = runServer({ home, args: ['--data-dir', elsewhere] });
  expect(await projectsOf(await reader.ready())).toEqual(projects);
});

it('keep/import what is refused leaves nothing behind, not even the directories on the way', async () => {
  const home = scratchDirectory();
  writeFileSync(join(home, 'text'), 'Hello');

  const { code, stdout, stderr } = await run(home, 'import', 'text', '--data-dir', join(home, 'a', 'b', 'c'));

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^liminal-builder: The archive is damaged, or was not made by "export".\n$/);
  expect(readdirSync(home)).toEqual(['text']);
});

const wrong: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['export without a file', ['export'], 2, /'export' needs the name of a file/],
  ['import without a file', ['import'], 2, /'import' needs the name of a file/],
  ['an empty name', ['export', ''], 2, /needs the name of a file/],
  ['two files', ['export', 'a', 'b'], 2, /Unexpected argument 'b'/],
  ['a port', ['export', 'a', '--port', '1'], 2, /--port.*'export'/],
  ['a demo', ['import', 'a', '--demo'], 2, /--demo.*'import'/],
  ['--renew', ['export', 'a', '--renew'], 2, /--renew.*'export'/],
  ['a data directory that does not exist', ['export', 'a', '--data-dir', 'none'], 2, /does not exist/],
  ['a data directory that is a file', ['export', 'a', '--data-dir', 'file'], 2, /is a file/],
  ['a file in a directory that does not exist', ['export', 'none/a', '--data-dir', 'data'], 2, /ENOENT/],
  ['a file inside the data directory', ['export', 'data/a', '--data-dir', 'data'], 2, /inside the data directory/],
  ['the data directory itself', ['export', 'data', '--data-dir', 'data'], 2, /inside the data directory/],
  ['a file that exists', ['export', 'file', '--data-dir', 'data'], 1, /file exists already/],
  ['an archive that does not exist', ['import', 'none', '--data-dir', 'new'], 1, /cannot be read \(ENOENT\)/],
  ['a directory as an archive', ['import', 'data', '--data-dir', 'new'], 1, /is not a file/],
  ['a data directory with something in it', ['import', 'file', '--data-dir', 'data'], 1, /is not empty/],
  ['a link in the data directory', ['export', 'a', '--data-dir', 'linked'], 2, /neither a file nor a directory/],
];

it.each(wrong)('keep/export-all one line on stderr and no change for %s', async (_name, args, code, reason) => {
  const home = scratchDirectory();
  for (const name of ['data', 'linked']) mkdirSync(join(home, name), { mode: 0o700 });
  writeFileSync(join(home, 'file'), 'precious');
  writeFileSync(join(home, 'data', 'sessions.json'), 'precious');
  symlinkSync('/etc/passwd', join(home, 'linked', 'sessions.json'));

  const exit = await run(home, ...args);

  expect(exit).toMatchObject({ code, stdout: '' });
  expect(exit.stderr).toMatch(/^liminal-builder: .+\n$/);
  expect(exit.stderr).toMatch(reason);
  expect(readdirSync(home).sort()).toEqual(['data', 'file', 'linked']);
  for (const path of ['file', 'data/sessions.json']) expect(readFileSync(join(home, path), 'utf8')).toBe('precious');
});
