import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oneTimeFragment, printedToken } from '../../../server/security/run-secret.ts';
import { handshakeText, type Introduction } from '../../../shared/handshake.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { openPageClient, type PageSecret } from '../../support/server/page-client.ts';
import { openSocket } from '../../support/server/socket-client.ts';
import { createTestApp, TEST_NAME, type TestApp } from '../../support/server/test-app.ts';

const nonce = () => randomBytes(32).toString('base64url');
const keyOf = (app: TestApp, origin = app.url): PageSecret => ({ by: 'key', secret: app.credentials.pageKey(origin) });
const runOf = (app: TestApp): PageSecret => ({
  by: 'run',
  secret: Buffer.from(printedToken(app.credentials.run()), 'base64url'),
});

function onceOf(app: TestApp, now = Date.now()): PageSecret {
  const [id = '', expiry = '', secret = ''] = oneTimeFragment(app.credentials.run(), now)
    .slice('#once='.length)
    .split('.');
  return { by: { once: `${id}.${expiry}` }, secret: Buffer.from(secret, 'base64url') };
}

async function greeted(app: TestApp, by: Introduction = 'key') {
  const socket = await openSocket(app.socketUrl);
  const clientNonce = nonce();
  socket.send({ type: 'hello', nonce: clientNonce, by });
  const hello = (await socket.next('hello')) as { nonce?: string; proof?: string };
  return { socket, clientNonce, serverNonce: hello.nonce ?? '', proof: hello.proof ?? '' };
}

describe('safe/proof the handshake', () => {
  it.each([
    ['its key', keyOf, false],
    ['the printed token', runOf, true],
    ['a one-time address', (app: TestApp) => onceOf(app), true],
  ])('admits a page that has %s, and gives it a key if it has none', async (_name, secretOf, grants) => {
    const app = await createTestApp();

    const { socket, grant } = await openPageClient({ ...secretOf(app), socketUrl: app.socketUrl });

    expect(await socket.ask('project:list')).toMatchObject({ projects: [] });
    expect(grant?.toString('hex')).toBe(grants ? app.credentials.pageKey(app.url).toString('hex') : undefined);
  });

  it('binds the key and the proof to the origin, so that a program on another port cannot pass them on', async () => {
    const app = await createTestApp({ named: true });
    const origins = [app.url, `http://localhost:${app.port}`, `http://${TEST_NAME}:${app.port}`];

    for (const origin of origins) {
      await openPageClient({ ...keyOf(app, origin), socketUrl: app.socketUrl, origin });
      for (const other of origins.filter((name) => name !== origin)) {
        const relayed = openPageClient({ ...keyOf(app, other), socketUrl: app.socketUrl, origin });
        await expect(relayed).rejects.toThrow('did not prove itself');
      }
    }
    // A page at another port computes with its own origin, the server with the one it is asked at.
    const { socket, clientNonce, serverNonce } = await greeted(app, 'run');
    const transcript = { clientNonce, serverNonce, by: 'run' as const, origin: 'http://127.0.0.1:1' };
    const proof = createHmac('sha256', runOf(app).secret)
      .update(handshakeText('client', transcript))
      .digest('base64url');
    socket.send({ type: 'auth', proof });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it.each([
    ['a proof of another handshake', async (app: TestApp) => (await greeted(app)).proof],
    ['zeros', async () => Buffer.alloc(32).toString('base64url')],
    ['the token', async (app: TestApp) => app.token],
  ])('refuses %s as a proof', async (_name, proofOf) => {
    const app = await createTestApp();
    const proof = await proofOf(app);
    const { socket } = await greeted(app);

    socket.send({ type: 'auth', proof });

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(socket.frames).toHaveLength(1);
  });

  it('refuses its own proof sent back, and a recorded handshake sent again', async () => {
    const app = await createTestApp();
    const first = await greeted(app);
    first.socket.send({ type: 'auth', proof: first.proof });
    expect(await first.socket.closed).toMatchObject({ code: 4401 });

    const { secret } = keyOf(app);
    const recorded = await greeted(app);
    const { clientNonce, serverNonce } = recorded;
    const transcript = { clientNonce, serverNonce, by: 'key' as const, origin: app.url };
    const proof = createHmac('sha256', secret).update(handshakeText('client', transcript)).digest('base64url');
    recorded.socket.send({ type: 'auth', proof });
    await recorded.socket.next('auth:ok');
    const replay = await openSocket(app.socketUrl);
    replay.send({ type: 'hello', nonce: clientNonce, by: 'key' });
    await replay.next('hello');
    replay.send({ type: 'auth', proof });
    expect(await replay.closed).toMatchObject({ code: 4401 });
  });

  it('does not use a nonce twice', async () => {
    const app = await createTestApp();
    const nonces = await Promise.all(Array.from({ length: 20 }, async () => (await greeted(app)).serverNonce));
    expect(new Set(nonces).size).toBe(20);
  });

  it.each([
    ['no nonce', { type: 'hello', by: 'key' }],
    ['a short nonce', { type: 'hello', nonce: 'A'.repeat(42), by: 'key' }],
    ['a long nonce', { type: 'hello', nonce: 'A'.repeat(44), by: 'key' }],
    ['a nonce with other characters', { type: 'hello', nonce: `${'A'.repeat(42)}+`, by: 'key' }],
    ['a nonce that is not text', { type: 'hello', nonce: 7, by: 'key' }],
    ['no introduction', { type: 'hello', nonce: 'A'.repeat(43) }],
    ['an unknown introduction', { type: 'hello', nonce: 'A'.repeat(43), by: 'constructor' }],
    ['a malformed one-time address', { type: 'hello', nonce: 'A'.repeat(43), by: { once: 'x' } }],
    ['a further field', { type: 'hello', nonce: 'A'.repeat(43), by: 'key', token: 'x' }],
    ['a proof without a hello', { type: 'auth', proof: 'A'.repeat(43) }],
    ['a command', { type: 'project:list' }],
    ['nothing', ''],
  ])('refuses %s', async (_name, frame) => {
    const app = await createTestApp();
    const socket = await openSocket(app.socketUrl);

    socket.send(frame);

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(socket.frames).toEqual([]);
  });

  it.each([
    ['a second hello', { type: 'hello', nonce: 'A'.repeat(43), by: 'key' }],
    ['a short proof', { type: 'auth', proof: 'A'.repeat(42) }],
    ['no proof', { type: 'auth' }],
    ['the token after a hello', { type: 'auth', token: 'test-token-0123456789abcdef' }],
    ['a command', { type: 'project:list' }],
  ])('refuses %s instead of a proof', async (_name, frame) => {
    const app = await createTestApp();
    const { socket } = await greeted(app);

    socket.send(frame);
    socket.send({ type: 'project:list' });

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(socket.frames).toHaveLength(1);
  });

  it('tells nothing from which a weak token could be guessed: the keys depend on a secret of the directory', async () => {
    const app = await createTestApp();
    const { clientNonce, serverNonce, proof } = await greeted(app);
    const transcript = { clientNonce, serverNonce, by: 'key' as const, origin: app.url };
    const derived = createHmac('sha256', app.token).update(`page ${app.url}`).digest();
    for (const secret of [Buffer.from(app.token), derived]) {
      expect(createHmac('sha256', secret).update(handshakeText('server', transcript)).digest('base64url')).not.toBe(
        proof,
      );
    }
  });
});

describe('safe/one-time an address', () => {
  it('works once', async () => {
    const app = await createTestApp();
    const once = onceOf(app);
    await openPageClient({ ...once, socketUrl: app.socketUrl });

    await expect(openPageClient({ ...once, socketUrl: app.socketUrl })).rejects.toThrow('4401');
    await openPageClient({ ...onceOf(app), socketUrl: app.socketUrl });
  });

  it('is used up only by who knows its secret part', async () => {
    const app = await createTestApp();
    const once = onceOf(app);
    const { socket } = await greeted(app, once.by);
    socket.send({ type: 'auth', proof: 'A'.repeat(43) });
    await socket.closed;

    await openPageClient({ ...once, socketUrl: app.socketUrl });
  });

  it('expires after a minute, and its time cannot be changed', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock });
    const start = Date.parse(clock.now());
    const [late, intime] = [onceOf(app, start), onceOf(app, start)];
    clock.advance(59_000);
    await openPageClient({ ...intime, socketUrl: app.socketUrl });
    clock.advance(1_000);
    await expect(openPageClient({ ...late, socketUrl: app.socketUrl })).rejects.toThrow('4401');
    const [id] = typeof late.by === 'object' ? late.by.once.split('.') : [];
    const longer = { by: { once: `${id}.9999999999999` }, secret: late.secret };
    await expect(openPageClient({ ...longer, socketUrl: app.socketUrl })).rejects.toThrow('did not prove itself');
  });
});

describe('safe/renew renewing the token', () => {
  it('closes every socket with 4401, ignores what they send meanwhile, and refuses all that gave access', async () => {
    const app = await createTestApp();
    const secrets = [keyOf(app), runOf(app), onceOf(app)];
    const printed = printedToken(app.credentials.run());
    const page = await openPageClient({ ...keyOf(app), socketUrl: app.socketUrl });
    const script = await openSocket(app.socketUrl, { headers: { authorization: `Bearer ${app.token}` } });
    const waiting = await openSocket(app.socketUrl);
    const half = await greeted(app);
    const header = page.sign({ method: 'GET', path: '/api/project' });

    app.credentials.renew('another-token-0123456789');
    for (const socket of [page.socket, script]) socket.send({ type: 'project:list', requestId: 'late' });

    for (const socket of [page.socket, script, waiting, half.socket]) {
      expect(await socket.closed).toMatchObject({ code: 4401 });
      expect(socket.frames.filter(({ requestId }) => requestId === 'late')).toEqual([]);
    }
    for (const token of [app.token, printed])
      expect((await app.request('GET', '/api/project', { token })).status).toBe(401);
    const signed = await app.request('GET', '/api/project', { token: null, headers: { authorization: header } });
    expect(signed.status).toBe(401);
    for (const secret of secrets) {
      await expect(openPageClient({ ...secret, socketUrl: app.socketUrl })).rejects.toThrow('did not prove itself');
    }
    expect((await app.request('GET', '/api/project', { token: 'another-token-0123456789' })).status).toBe(200);
    await openPageClient({ ...runOf(app), socketUrl: app.socketUrl });
  });
});
