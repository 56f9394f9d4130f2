import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createManualClock } from '../../support/manual-clock.ts';
import { openSocket, type SocketClient } from '../../support/server/socket-client.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const MIB = 1024 * 1024;

describe('a socket that has not authenticated', () => {
  it('is closed with 4401 after five seconds, and not before', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock });
    const socket = await openSocket(app.socketUrl);

    clock.advance(4999);
    expect(socket.socket.readyState).toBe(WebSocket.OPEN);
    clock.advance(1);

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(clock.pending).toBe(0);
  });

  it('stays open when it authenticates at the last moment', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock });
    const socket = await openSocket(app.socketUrl);

    clock.advance(4999);
    socket.send({ type: 'auth', token: app.token });
    await socket.next('auth:ok');
    clock.advance(10_000);
    await socket.settled();
  });

  it.each([
    ['a wrong token', '{"type":"auth","token":"wrong-token-0123456789"}'],
    ['an empty token', '{"type":"auth","token":""}'],
    ['a token that is not a string', '{"type":"auth","token":{"length":27}}'],
    ['a token that is too long', JSON.stringify({ type: 'auth', token: 'x'.repeat(600) })],
    ['a command', '{"type":"project:list"}'],
    ['nonsense', 'nonsense'],
  ])('is closed with 4401 after %s and gets no events', async (_name, first) => {
    const app = await createTestApp();
    const socket = await openSocket(app.socketUrl);

    socket.send(first);

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(socket.frames).toEqual([]);
  });

  it('has one attempt: frames after a wrong token are ignored', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const socket = await openSocket(app.socketUrl);

    // In one segment, so that the right token arrives before the close frame is answered.
    const { _socket: tcp } = socket.socket as unknown as { _socket: { cork(): void; uncork(): void } };
    tcp.cork();
    socket.send({ type: 'auth', token: 'wrong-token-0123456789' });
    socket.send({ type: 'auth', token: app.token });
    socket.send({ type: 'session:create', projectId, cliType: 'codex' });
    tcp.uncork();

    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(socket.frames).toEqual([]);
    expect(app.providers[1]?.calls).toEqual([]);
  });

  it('gets no events', async () => {
    const app = await createTestApp();
    const silent = await openSocket(app.socketUrl);
    const window = await app.connect();

    await app.createSession();
    await window.settled();
    silent.send({ type: 'auth', token: app.token });
    await silent.next('auth:ok');

    expect(silent.of('session:changed')).toEqual([]);
  });

  it('safe/flood is closed, the oldest first, while too many are unauthenticated', async () => {
    const app = await createTestApp({ limits: { maxWaiting: 2 } });
    const admitted = await app.connect();
    const first = await openSocket(app.socketUrl);
    const second = await openSocket(app.socketUrl);

    const third = await openSocket(app.socketUrl);
    await first.closed;

    for (const window of [second, third]) {
      window.send({ type: 'auth', token: app.token });
      await window.next('auth:ok');
    }
    await app.connect();
    await admitted.settled();
    expect(app.logLines.filter((line) => line.includes('without credentials'))).toHaveLength(1);
  });

  it('needs no auth frame if its headers contain the token', async () => {
    const app = await createTestApp();
    const socket = await openSocket(app.socketUrl, { headers: { authorization: `Bearer ${app.token}` } });

    await socket.settled();
  });
});

describe('limits of a window', () => {
  it.each(['before', 'after'] as const)('a frame over 1 MiB closes the socket, %s authentication', async (when) => {
    const app = await createTestApp();
    const socket = when === 'after' ? await app.connect() : await openSocket(app.socketUrl);

    socket.send('x'.repeat(MIB + 1));

    expect(await socket.closed).toMatchObject({ code: 1009 });
    expect(app.logLines).toEqual([]);
  });

  it('a frame of just under 1 MiB is read', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const window = await app.connect();

    const answer = await window.ask('session:send', { sessionId, content: 'x'.repeat(512 * 1024) });

    expect(answer.turnId).toEqual(expect.any(String));
  });

  it('a window that answers no ping is disconnected within 30 seconds; one that does stays', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock });
    const alive = await app.connect();
    const dead = new WebSocket(app.socketUrl, { autoPong: false, headers: { authorization: `Bearer ${app.token}` } });
    await new Promise((resolve) => dead.once('open', resolve));
    const gone = new Promise((resolve) => dead.once('close', resolve));

    for (let elapsed = 0; elapsed < 30_000; elapsed += 6_000) {
      clock.advance(6_000);
      await alive.settled();
    }

    await gone;
    await alive.settled();
    expect(app.app.server.websocketServer.clients.size).toBe(1);
  });

  it('a window that does not read is disconnected at the limit, others are not affected, and it resyncs', async () => {
    const app = await createTestApp({ limits: { maxBufferedBytes: MIB } });
    const sessionId = await app.createSession();
    const reader = await app.connect();
    const sleeper = await app.connect();
    for (const window of [reader, sleeper]) await window.ask('session:open', { sessionId });
    sleeper.socket.pause();
    const core = app.agent.core(sessionId);
    const content = 'word '.repeat(20_000);

    core.apply({ do: 'message', turnId: 't', itemId: 't:user', origin: 'user', content: 'go' });
    let sent = 0;
    while (app.app.server.websocketServer.clients.size > 1) {
      sent += 1;
      core.apply({ do: 'message', turnId: 't', itemId: `t:${sent}:0`, origin: 'agent', content });
      await reader.settled();
    }
    sleeper.socket.terminate();

    expect(sent * content.length).toBeGreaterThan(MIB);
    expect(reader.of('session:upsert')).toHaveLength(sent + 1);
    const back = await app.connect();
    const history = await back.ask('session:open', { sessionId });
    expect(history.entries?.at(-1)).toMatchObject({ itemId: `t:${sent}:0` });
  });

  it('a conversation larger than the limit can be opened while it grows', async () => {
    const app = await createTestApp({ limits: { maxBufferedBytes: MIB } });
    const sessionId = await app.createSession();
    const core = app.agent.core(sessionId);
    core.apply({ do: 'message', turnId: 't', itemId: 't:0:0', origin: 'agent', content: 'x'.repeat(24 * MIB) });
    const window = await app.connect();

    window.send({ type: 'session:open', sessionId, requestId: 'open' });
    const stop = setInterval(() => {
      const itemId = `t:${app.agent.calls.length}:${performance.now()}`;
      core.apply({ do: 'message', turnId: 't', itemId, origin: 'agent', content: 'news' });
    }, 0);
    const history = await window.next('session:history').finally(() => clearInterval(stop));

    expect(history.entries?.[0]).toMatchObject({ itemId: 't:0:0' });
    await window.settled();
  });
});

describe('several windows', () => {
  const conversationOf = (window: SocketClient) =>
    window.frames.flatMap(({ payload }) => (payload === undefined ? [] : [JSON.stringify(payload)]));

  it('see the same items in the same order for messages over HTTP and the socket', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const windows = [await app.connect(), await app.connect()];
    for (const window of windows) await window.ask('session:open', { sessionId });
    const path = `/api/session/${encodeURIComponent(sessionId)}/send`;

    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? app.request('POST', path, { body: { content: `http ${index}` } })
          : windows[0]?.ask('session:send', { sessionId, content: `socket ${index}` }),
      ),
    );
    for (const window of windows) {
      for (let turn = 0; turn < 20; turn += 1) await window.next(({ payload }) => payload?.type === 'turn_complete');
    }

    const [first, second] = windows.map((window) => conversationOf(window));
    expect(first?.length).toBeGreaterThan(100);
    expect(second).toEqual(first);
  });
});

describe('closing the server', () => {
  it('closes every socket within three seconds, also of windows that do not answer', async () => {
    const app = await createTestApp();
    const polite = await app.connect();
    const silent = await openSocket(app.socketUrl);
    const deaf = await app.connect();
    deaf.socket.pause();

    const started = performance.now();
    await app.app.close();

    expect(performance.now() - started).toBeLessThan(3000);
    expect(await polite.closed).toMatchObject({ code: 1001 });
    await silent.closed;
    deaf.socket.resume();
    await deaf.closed;
  });

  it('stops the processes of all sessions', async () => {
    const app = await createTestApp();
    await app.createSession();
    const sessionId = await app.createSession();
    await app.app.service.send({ sessionId, content: 'hold' });

    await app.app.close();

    expect(app.agent.processes).toEqual({ started: 2, ended: 2, running: 0 });
  });
});
