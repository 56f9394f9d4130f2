import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { plainAddress } from '../../support/product/plain-address.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { openSocket } from '../../support/server/socket-client.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

const readyLine = /^Liminal Builder is ready at http:\/\/lb-[a-z2-7]{12}\.localhost:(\d+)\/#token=([\w-]{43})$/;

async function projectsOf(url: string): Promise<number> {
  const { origin, token } = plainAddress(url);
  return (await fetch(`${origin}/api/project`, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe('a start', () => {
  it('prints the address with a working token last; the log does not contain the token', async () => {
    const home = scratchDirectory();
    const server = runServer({ home });

    const url = await server.ready();

    expect(`Liminal Builder is ready at ${url}`).toMatch(readyLine);
    expect(await projectsOf(url)).toBe(200);
    expect(await projectsOf(url.replace(/token=./, 'token=_'))).toBe(401);
    server.child.kill('SIGTERM');
    const { stdout, stderr } = await server.exited;
    const [hint, ready] = stdout.trimEnd().split('\n');
    expect(ready).toMatch(readyLine);
    expect(hint).toBe(
      `If your browser cannot find the address below, open ${url.replace(/lb-\w+\.localhost/, '127.0.0.1')}`,
    );
    expect(stderr).toBe('');
    const dataDir = join(home, '.liminal-builder');
    const token = readFileSync(join(dataDir, 'token'), 'utf8').trim();
    expect(url).not.toContain(token);
    expect(statSync(join(dataDir, 'token')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const log = readFileSync(join(dataDir, 'server.log'), 'utf8');
    expect(log).toContain('ready');
    expect(log).toContain(new URL(url).origin);
    expect(log).toContain(plainAddress(url).origin);
    expect(log).not.toContain(token);
    expect(log).not.toContain(plainAddress(url).token);
    expect(readFileSync(join(dataDir, 'lock', 'owner.json'), 'utf8')).not.toContain('token');
  });

  it('listens on loopback only, or prints a warning, and always prints an address that works', async () => {
    const server = runServer({ args: ['--host', '0.0.0.0'] });

    const url = await server.ready();

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await projectsOf(url)).toBe(200);
    server.child.kill('SIGTERM');
    expect((await server.exited).stderr).toMatch(/^Warning: 0\.0\.0\.0 may be reached from other machines/);
  });

  it('reads token, port and directory from flags and environment variables; flags win', async () => {
    const directory = join(scratchDirectory(), 'made', 'for', 'this');
    const token = 'a-token-of-ones-own.0~1_2';
    const server = runServer({
      args: ['--port', '0', '--data-dir', directory],
      env: { LIMINAL_TOKEN: token, LIMINAL_PORT: '1', LIMINAL_DATA_DIR: '/nowhere' },
    });

    const url = await server.ready();

    expect(url).not.toContain(token);
    expect(await projectsOf(url)).toBe(200);
    expect(await projectsOf(url.replace(/token=.*/, `token=${token}`))).toBe(200);
    expect(statSync(directory).isDirectory()).toBe(true);
  });

  it('on a port that is in use fails with one line and releases the directory', async () => {
    const home = scratchDirectory();
    const other = createServer();
    onTestFinished(() => void other.close());
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });

    const refused = await runServer({ home, args: ['--port', String(port)] }).exited;

    expect(refused.code).toBe(2);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(
      new RegExp(`^liminal-builder: Port ${port} on 127\\.0\\.0\\.1 is in use\\..*--port.*\\n$`),
    );
    await runServer({ home }).ready();
  });

  it('on an address of another machine fails with one line', async () => {
    const { code, stderr } = await runServer({ args: ['--host', '203.0.113.7'] }).exited;

    expect(code).toBe(2);
    expect(stderr).toMatch(/liminal-builder: Cannot listen on 203\.0\.113\.7:.*--host.*\n$/);
  });

  it('rejects data of a newer version with one line and does not touch it; moves invalid data aside', async () => {
    const home = scratchDirectory();
    const path = join(home, '.liminal-builder', 'projects.json');
    mkdirSync(join(home, '.liminal-builder'));
    writeFileSync(path, '{"version":999,"projects":[]}');

    const { code, stdout, stderr } = await runServer({ home }).exited;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^liminal-builder: .*newer.*\n$/);
    expect(readFileSync(path, 'utf8')).toBe('{"version":999,"projects":[]}');

    writeFileSync(path, '{"version":1,"proj');
    const server = runServer({ home });
    await server.ready();
    server.child.kill('SIGTERM');
    expect((await server.exited).stderr).toMatch(/^Warning: .*projects\.json could not be read.*kept as.*\n$/);
  });

  it.each([
    ['--help', /^Usage: liminal-builder/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('with %s prints and exits', async (flag, output) => {
    const { code, stdout, stderr } = await runServer({ args: [flag] }).exited;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(output);
  });
});

describe('a second start on the same directory', () => {
  it('prints the address of the first, with its token, and exits with 0; the first keeps running', async () => {
    const home = scratchDirectory();
    const first = runServer({ home, env: { LIMINAL_TOKEN: 'only-the-first-knows-this' } });
    const url = await first.ready();

    const second = await runServer({ home }).exited;

    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(/^If your browser cannot find/);
    expect(second.stdout.split('\n').slice(1)).toEqual([`Liminal Builder is already running at ${url}`, '']);
    expect(await projectsOf(url)).toBe(200);
  });

  it('takes over from a killed server with the same token; the printed one is new and the old one is refused', async () => {
    const home = scratchDirectory();
    const first = runServer({ home });
    const url = await first.ready();
    first.child.kill('SIGKILL');
    await first.exited;

    const next = await runServer({ home }).ready();

    expect(await projectsOf(next)).toBe(200);
    expect(new URL(next).hostname).toBe(new URL(url).hostname);
    expect(await projectsOf(next.replace(/#.*/, new URL(url).hash))).toBe(401);
    const token = readFileSync(join(home, '.liminal-builder', 'token'), 'utf8').trim();
    expect(await projectsOf(next.replace(/#.*/, `#token=${token}`))).toBe(200);
  });

  it('of twenty at the same time has one owner, and all print its address', async () => {
    const home = scratchDirectory();
    const servers = Array.from({ length: 20 }, () => runServer({ home }));

    const url = await Promise.any(servers.map(({ ready }) => ready()));
    const results = await Promise.all(
      servers.map((server) =>
        Promise.race([
          server.exited,
          server.ready().then(
            () => undefined,
            () => server.exited,
          ),
        ]),
      ),
    );

    const others = results.filter((result) => result !== undefined);
    expect(others).toHaveLength(19);
    for (const { code, stdout, stderr } of others) {
      expect({ code, stderr, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
        code: 0,
        stderr: '',
        last: `Liminal Builder is already running at ${url}`,
      });
    }
    expect(await projectsOf(url)).toBe(200);
  });
});

describe('a stop', () => {
  it('of npm, which does not forward it, stops the server within six seconds', async () => {
    const home = scratchDirectory();
    const server = runServer({ home, byNpm: true });
    await server.ready();
    const started = performance.now();

    server.child.kill('SIGTERM');
    // Its output stays open as long as any of its processes runs.
    const { signal, stderr } = await server.exited;

    expect({ signal, stderr }).toEqual({ signal: 'SIGTERM', stderr: '' });
    expect(performance.now() - started).toBeLessThan(6000);
    await runServer({ home }).ready();
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s exits with 0 within six seconds', async (signal) => {
    const home = scratchDirectory();
    const server = runServer({ home });
    const { origin, token } = plainAddress(await server.ready());
    const headers = { authorization: `Bearer ${token}` };
    const polite = await openSocket(`${origin.replace('http', 'ws')}/ws`, { headers });
    // Neither of these answers a close frame.
    const deaf = await openSocket(`${origin.replace('http', 'ws')}/ws`, { headers });
    deaf.socket.pause();
    const silent = await openSocket(`${origin.replace('http', 'ws')}/ws`);
    silent.socket.pause();
    const started = performance.now();

    server.child.kill(signal);
    const { code, stderr } = await server.exited;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(performance.now() - started).toBeLessThan(6000);
    expect(await polite.closed).toMatchObject({ code: 1001 });
    await runServer({ home }).ready();
  });

  it('requested twice is one stop', async () => {
    const server = runServer();
    await server.ready();

    server.child.kill('SIGINT');
    server.child.kill('SIGINT');

    expect((await server.exited).code).toBe(0);
  });

  it('keeps recent changes', async () => {
    const home = scratchDirectory();
    const server = runServer({ home });
    const { origin, token } = plainAddress(await server.ready());
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await fetch(`${origin}/api/project`, { method: 'POST', headers, body: JSON.stringify({ path: home }) });

    server.child.kill('SIGTERM');
    await server.exited;

    const saved = JSON.parse(readFileSync(join(home, '.liminal-builder', 'projects.json'), 'utf8'));
    expect(saved).toMatchObject({ projects: [{ path: home }] });
  });
});
