import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { plainAddress } from '../../support/product/plain-address.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { openPageClient } from '../../support/server/page-client.ts';
import { openSocket } from '../../support/server/socket-client.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

const dataDirOf = (home: string) => join(home, '.liminal-builder');
const readToken = (home: string) => readFileSync(join(dataDirOf(home), 'token'), 'utf8').trim();
const fragmentOf = (url: string) => new URL(url).hash.replace('#token=', '');

function plain(url: string) {
  const { origin } = plainAddress(url);
  return { port: Number(new URL(origin).port), url: origin, socketUrl: `${origin.replace('http', 'ws')}/ws` };
}

/** Opens a page as a browser would that was given this address. */
function openPage(address: string) {
  const { origin } = new URL(address);
  const fragment = new URLSearchParams(new URL(address).hash.slice(1));
  const once = /^([^.]+\.[^.]+)\.(.+)$/.exec(fragment.get('once') ?? '');
  const secret = Buffer.from(once?.[2] ?? fragment.get('token') ?? '', 'base64url');
  return openPageClient({
    by: once?.[1] ? { once: once[1] } : 'run',
    secret,
    origin,
    socketUrl: plain(address).socketUrl,
  });
}

async function statusWith(url: string, token: string): Promise<number> {
  return (await fetch(`${plain(url).url}/api/project`, { headers: { authorization: `Bearer ${token}` } })).status;
}

/** Holds a port of a loopback address. */
async function hold(host: string, port = 0): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

describe('safe/origin the address of the page', () => {
  it('has a random name, the same at every start, and works on both loopback addresses', async () => {
    const home = scratchDirectory();
    const first = runServer({ home });
    const url = await first.ready();
    const { port } = plain(url);
    for (const host of ['127.0.0.1', '[::1]']) {
      const health = await fetch(`http://${host}:${port}/api/health`);
      expect(health.status).toBe(200);
    }
    const overIpv6 = await openSocket(`ws://[::1]:${port}/ws`, {
      headers: { authorization: `Bearer ${fragmentOf(url)}` },
    });
    first.child.kill('SIGTERM');
    expect(await overIpv6.closed).toMatchObject({ code: 1001 });
    expect((await first.exited).code).toBe(0);

    const again = await runServer({ home }).ready();
    expect(new URL(again).hostname).toBe(new URL(url).hostname);
    const other = await runServer().ready();
    expect(new URL(other).hostname).not.toBe(new URL(url).hostname);
    expect(statSync(join(dataDirOf(home), 'identity.json')).mode & 0o777).toBe(0o600);
  });

  it('is the plain one, with a warning, if another program has our port on [::1]', async () => {
    const port = await hold('::1');
    const server = runServer({ args: ['--port', String(port)] });

    const url = await server.ready();

    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#token=`));
    expect(await statusWith(url, fragmentOf(url))).toBe(200);
    await openPage(url);
    server.child.kill('SIGTERM');
    const { stdout, stderr } = await server.exited;
    expect(stderr).toMatch(/^Warning: Another program has the port .*\[::1\].*\n$/);
    expect(stdout).not.toContain('.localhost');
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('is that of the host if one is asked for: %s', async (host) => {
    const server = runServer({ args: ['--host', host] });

    const url = await server.ready();

    expect(new URL(url).hostname).toBe(host === '::1' ? '[::1]' : host);
    expect(await statusWith(url, fragmentOf(url))).toBe(200);
  });

  it('is new if its file is damaged, which is kept', async () => {
    const home = scratchDirectory();
    mkdirSync(dataDirOf(home));
    writeFileSync(join(dataDirOf(home), 'identity.json'), '{"version":1,"name":"evil.test","seed":""}');
    const server = runServer({ home });
    expect(new URL(await server.ready()).hostname).toMatch(/^lb-[a-z2-7]{12}\.localhost$/);
    server.child.kill('SIGTERM');
    expect((await server.exited).stderr).toMatch(/identity\.json could not be read.*kept as/);
  });
});

describe('safe/one-time the browser', () => {
  it('is opened with an address that works once, so that the list of processes shows nothing of use', async () => {
    const home = scratchDirectory();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    // Records how it was called, like a browser that another user sees in the list of processes.
    writeFileSync(
      join(bin, 'xdg-open'),
      '#!/bin/sh\nprintf %s "$1" > "$HOME/opened.tmp"; mv "$HOME/opened.tmp" "$HOME/opened"\n',
    );
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const env = { LIMINAL_OPEN: '1', DISPLAY: ':0', PATH: `${bin}:${process.env.PATH}` };
    const opened = () => expect.poll(() => readIfThere(join(home, 'opened')), { timeout: 10_000 }).toMatch(/#once=/);

    const url = await runServer({ home, env }).ready();
    await opened();
    const address = readFileSync(join(home, 'opened'), 'utf8');
    expect(address).not.toContain(fragmentOf(url));
    expect(address).not.toContain(readToken(home));
    await openPage(address);
    await expect(openPage(address)).rejects.toThrow('4401');

    writeFileSync(join(home, 'opened'), '');
    const second = await runServer({ home, env }).exited;
    expect(second.code).toBe(0);
    await opened();
    const again = readFileSync(join(home, 'opened'), 'utf8');
    expect(again).not.toBe(address);
    await openPage(again);
  });
});

describe('safe/renew liminal-builder token', () => {
  it('prints the token, which gives access to scripts', async () => {
    const home = scratchDirectory();
    const before = await runServer({ home, args: ['token'] }).exited;
    const url = await runServer({ home }).ready();

    const { code, stdout, stderr } = await runServer({ home, args: ['token'] }).exited;

    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: before.stdout });
    expect(await statusWith(url, stdout.trim())).toBe(200);
  });

  it('--renew ends the access of every window and script of the running server at once, and prints a new address', async () => {
    const home = scratchDirectory();
    const url = await runServer({ home }).ready();
    const token = readToken(home);
    const page = await openPage(url);
    const script = await openSocket(plain(url).socketUrl, { headers: { authorization: `Bearer ${token}` } });

    const { code, stdout, stderr } = await runServer({ home, args: ['token', '--renew'] }).exited;

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { closed } of [page.socket, script]) expect(await closed).toMatchObject({ code: 4401 });
    for (const old of [token, fragmentOf(url)]) expect(await statusWith(url, old)).toBe(401);
    await expect(openPage(url)).rejects.toThrow('did not prove itself');
    const { origin } = new URL(url);
    const withKey = openPageClient({
      by: 'key',
      secret: page.grant ?? Buffer.alloc(0),
      origin,
      socketUrl: plain(url).socketUrl,
    });
    await expect(withKey).rejects.toThrow('did not prove itself');
    const next = /running at (\S+)\n$/.exec(stdout)?.[1] ?? '';
    await openPage(next);
    expect(await statusWith(url, readToken(home))).toBe(200);
    expect(statSync(join(dataDirOf(home), 'token')).mode & 0o777).toBe(0o600);
    const second = await runServer({ home }).exited;
    expect(second.stdout).toContain(`already running at ${next}\n`);
  });

  it('--renew without a server writes the token for the next start, and does not follow a link', async () => {
    const home = scratchDirectory();
    mkdirSync(dataDirOf(home));
    const elsewhere = join(home, 'elsewhere');
    writeFileSync(elsewhere, 'planted-token-0123456789\n');
    symlinkSync(elsewhere, join(dataDirOf(home), 'token'));

    const started = await runServer({ home }).exited;
    expect(started).toMatchObject({ stdout: '', stderr: expect.stringMatching(/token is a link/) });
    const renewed = await runServer({ home, args: ['token', '--renew'] }).exited;

    expect(renewed.code).toBe(0);
    expect(readFileSync(elsewhere, 'utf8')).toBe('planted-token-0123456789\n');
    const url = await runServer({ home }).ready();
    expect(await statusWith(url, 'planted-token-0123456789')).toBe(401);
    expect(await statusWith(url, readToken(home))).toBe(200);
  });

  it('--renew says why it cannot if the token comes from LIMINAL_TOKEN, of this command or of the running server', async () => {
    const home = scratchDirectory();
    const env = { LIMINAL_TOKEN: 'kw83nf0s-aPq71lzc' };
    const reason = /^liminal-builder: token --renew: the token comes from LIMINAL_TOKEN\..*\n$/;
    expect(await runServer({ home, env, args: ['token', '--renew'] }).exited).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(reason),
    });
    const url = await runServer({ home, env }).ready();
    const asked = await runServer({ home, args: ['token', '--renew'] }).exited;
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
    expect(await statusWith(url, env.LIMINAL_TOKEN)).toBe(200);
  });
});

describe('safe/weak-token a weak LIMINAL_TOKEN', () => {
  it.each(['aaaaaaaaaaaaaaaa', '1234567890123456', 'passwordpassword'])(
    '%s is accepted with a warning',
    async (token) => {
      const home = scratchDirectory();
      const server = runServer({ home, env: { LIMINAL_TOKEN: token } });
      const url = await server.ready();
      expect(await statusWith(url, token)).toBe(200);
      server.child.kill('SIGTERM');
      const { stderr } = await server.exited;
      expect(stderr).toMatch(/^Warning: LIMINAL_TOKEN is easy to guess\./);
      const log = readFileSync(join(dataDirOf(home), 'server.log'), 'utf8');
      expect(log).toContain('easy to guess');
      expect(log).not.toContain(token);
      expect(stderr).not.toContain(token);
    },
  );
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
