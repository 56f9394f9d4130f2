import { describe, expect, it } from 'vitest';
import { credentialOfBytes } from '../../../../client/shell/server/proof/credential.ts';
import type { ServerFrame } from '../../../../client/shell/server/server-frames.ts';
import { createSocket } from '../../../../client/shell/server/socket.ts';
import { bodyHashOf } from '../../../../server/security/request-keys.ts';
import type { ConnectionState } from '../../../../shared/portlet-messages.ts';
import { createSocketExchange } from './rig/fake-socket.ts';
import { createManualTimers } from './rig/manual-timers.ts';
import { createProvingServer } from './rig/proving-server.ts';

const ORIGIN = 'http://lb-a.localhost:3000';

async function startSocket() {
  const server = createProvingServer(ORIGIN);
  const exchange = createSocketExchange((frame, end) => void server.answer(frame, end));
  const timers = createManualTimers();
  const states: ConnectionState[] = [];
  const frames: ServerFrame[] = [];
  const denials: string[] = [];
  const socket = createSocket({
    connect: exchange.connect,
    origin: ORIGIN,
    newNonce: () => crypto.getRandomValues(new Uint8Array(32)),
    meetsStranger: async () => false,
    timers,
    onState: (state) => states.push(state),
    onFrame: (frame) => frames.push(frame),
    onGrant: async (key) => credentialOfBytes('key', key),
    onSkipped: () => denials.push('skipped'),
    onDenied: (denial) => denials.push(denial),
  });
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  const greet = async () => {
    exchange.end().accept();
    await settle();
  };
  socket.start([server.credential]);
  return { ...exchange, server, socket, timers, states, frames, greet, settle, denials };
}

describe('connecting', () => {
  it('safe/proof sends a nonce first, its proof after the server has proved itself, and is then connected', async () => {
    const { end, states, settle } = await startSocket();
    end().accept();
    expect(end().sent).toEqual([{ type: 'hello', nonce: expect.stringMatching(/^[\w-]{43}$/), by: 'key' }]);
    expect(states).toEqual(['connecting']);
    await settle();
    expect(end().sent[1]).toEqual({ type: 'auth', proof: expect.stringMatching(/^[\w-]{43}$/) });
    expect(states).toEqual(['connecting', 'connected']);
  });

  it('safe/proof sends nothing else before it is admitted', async () => {
    const { end, socket } = await startSocket();
    end().accept();
    socket.send({ type: 'session:subscribe', sessionId: 'codex:1' });
    expect(socket.signRequest({ method: 'GET', path: '/', body: '' })).toBeNull();
    expect(end().sent).toHaveLength(1);
  });

  it('safe/http-key signs requests with a key that the server accepts while the socket is open', async () => {
    const { end, socket, server, greet } = await startSocket();
    await greet();
    const request = { method: 'POST', path: '/api/x?y=1', body: '{"ü":1}' };
    const header = socket.signRequest(request) ?? '';
    expect(server.requestKeys.verify({ ...request, header })).toBe(bodyHashOf(Buffer.from(request.body)));
    expect(server.requestKeys.verify({ ...request, header })).toBeUndefined();
    end().drop();
    expect(socket.signRequest(request)).toBeNull();
  });

  it('retries forever with growing delays of less than two seconds', async () => {
    const { ends, end, timers, states } = await startSocket();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      end().drop();
      const [pause = 0] = timers.pending();
      pauses.push(pause);
      timers.advance(pause);
    }
    expect(pauses).toEqual([250, 500, 1000, 1500, 1500, 1500, 1500]);
    expect(ends).toHaveLength(8);
    expect(new Set(states.slice(1))).toEqual(new Set(['reconnecting']));
  });

  it('starts again with short delays after a successful connection', async () => {
    const { end, timers, greet } = await startSocket();
    end().drop();
    timers.advance(250);
    end().drop();
    timers.advance(500);
    await greet();
    end().drop();
    expect(timers.pending()).toEqual([250]);
  });

  it('retries at once when woken, but never opens two sockets', async () => {
    const { ends, end, socket, timers } = await startSocket();
    end().drop();
    socket.wake();
    socket.wake();
    expect(ends).toHaveLength(2);
    timers.advance(4000);
    expect(ends).toHaveLength(2);
  });

  it('reconnects if the server does not answer in time', async () => {
    const { ends, end, timers, states } = await startSocket();
    timers.advance(5000);
    expect(end().closedByPage()).toBe(true);
    expect(states.at(-1)).toBe('reconnecting');
    timers.advance(250);
    expect(ends).toHaveLength(2);
  });

  it('stops when our server refuses the proof', async () => {
    const { ends, end, timers, states, denials, socket, greet } = await startSocket();
    await greet();
    end().drop(4401);
    expect(states.at(-1)).toBe('disconnected');
    expect(denials).toEqual(['refused']);
    timers.advance(60_000);
    socket.wake();
    expect(ends).toHaveLength(1);
  });

  it('retries if the socket was closed before the server proved itself', async () => {
    const { ends, end, timers, denials } = await startSocket();
    end().accept();
    end().drop(4401);
    expect(denials).toEqual([]);
    timers.advance(250);
    expect(ends).toHaveLength(2);
  });

  it('ignores messages from a closed socket', async () => {
    const { ends, end, greet, frames, states, timers } = await startSocket();
    await greet();
    end().drop();
    timers.advance(250);
    ends[0]?.say({ type: 'session:archived', sessionId: 'codex:1' });
    ends[0]?.drop();
    expect(frames).toEqual([]);
    expect(states).toEqual(['connecting', 'connected', 'reconnecting']);
  });
});

describe('frames', () => {
  it.each([
    ['not JSON', '{"type":'],
    ['not an object', '7'],
    ['an unknown type', { type: 'session:dance', sessionId: 'codex:1' }],
    ['a field of the wrong type', { type: 'session:archived', sessionId: 17 }],
  ])('are dropped: %s', async (_, frame) => {
    const { end, greet, frames } = await startSocket();
    await greet();
    end().say(frame);
    end().say({ type: 'session:archived', sessionId: 'codex:1' });
    expect(frames).toEqual([{ type: 'session:archived', sessionId: 'codex:1' }]);
  });
});

describe('requests', () => {
  it('are matched with responses by id, in any order', async () => {
    const { end, greet, socket } = await startSocket();
    await greet();
    const first = socket.request('project:list', {});
    const second = socket.request('project:list', {});
    const [one, two] = end().sent.slice(2);
    end().say({ type: 'project:list', requestId: two?.requestId, projects: [] });
    end().say({ type: 'error', requestId: one?.requestId, code: 'INTERNAL_ERROR', message: 'It broke.' });
    expect(await second).toEqual({ ok: true, value: { projects: [] } });
    expect(await first).toMatchObject({ ok: false, error: { message: 'It broke.' } });
  });

  it('treat a response as an event too, unless it is an error', async () => {
    const { end, greet, socket, frames } = await startSocket();
    await greet();
    const removal = socket.request('project:remove', { projectId: '00000000-0000-4000-8000-000000000001' });
    const requestId = end().sent.at(-1)?.requestId;
    end().say({ type: 'project:removed', requestId, projectId: '00000000-0000-4000-8000-000000000001' });
    end().say({ type: 'error', requestId: 'other', code: 'INTERNAL_ERROR', message: 'It broke.' });
    expect((await removal).ok).toBe(true);
    expect(frames.map(({ type }) => type)).toEqual(['project:removed']);
  });

  it('end as unreachable if there is no connection or it is lost', async () => {
    const { end, greet, socket } = await startSocket();
    expect(await socket.request('project:list', {})).toMatchObject({ ok: false });
    await greet();
    const lost = socket.request('project:list', {});
    end().drop();
    expect(await lost).toMatchObject({ ok: false, error: { message: expect.stringContaining('cannot be reached') } });
  });

  it('end with an error if the response does not match the schema', async () => {
    const { end, greet, socket } = await startSocket();
    await greet();
    const asked = socket.request('project:list', {});
    end().say({ type: 'project:list', requestId: end().sent.at(-1)?.requestId, projects: 'none' });
    expect(await asked).toMatchObject({ ok: false, error: { message: expect.stringContaining('Reload') } });
  });
});
