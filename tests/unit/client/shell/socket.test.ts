import { describe, expect, it } from 'vitest';
import type { ServerFrame } from '../../../../client/shell/server/server-frames.ts';
import { createSocket } from '../../../../client/shell/server/socket.ts';
import type { ConnectionState } from '../../../../shared/portlet-messages.ts';
import { createSocketExchange } from './rig/fake-socket.ts';
import { createManualTimers } from './rig/manual-timers.ts';

function startSocket() {
  const exchange = createSocketExchange();
  const timers = createManualTimers();
  const states: ConnectionState[] = [];
  const frames: ServerFrame[] = [];
  let refusals = 0;
  const socket = createSocket({
    connect: exchange.connect,
    timers,
    onState: (state) => states.push(state),
    onFrame: (frame) => frames.push(frame),
    onUnauthorized: () => {
      refusals += 1;
    },
  });
  const greet = () => {
    exchange.end().accept();
    exchange.end().say({ type: 'auth:ok' });
  };
  socket.start('the-token');
  return { ...exchange, socket, timers, states, frames, greet, refusals: () => refusals };
}

describe('connecting', () => {
  it('sends the token first and is connected once the server has accepted it', () => {
    const { end, states } = startSocket();
    end().accept();
    expect(end().sent).toEqual([{ type: 'auth', token: 'the-token' }]);
    expect(states).toEqual(['connecting']);
    end().say({ type: 'auth:ok' });
    expect(states).toEqual(['connecting', 'connected']);
  });

  it('sends nothing else before the token is accepted', () => {
    const { end, socket } = startSocket();
    end().accept();
    socket.send({ type: 'session:subscribe', sessionId: 'codex:1' });
    expect(end().sent).toHaveLength(1);
  });

  it('retries forever with growing delays of less than two seconds', () => {
    const { ends, end, timers, states } = startSocket();
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

  it('starts again with short delays after a successful connection', () => {
    const { end, timers, greet } = startSocket();
    end().drop();
    timers.advance(250);
    end().drop();
    timers.advance(500);
    greet();
    end().drop();
    expect(timers.pending()).toEqual([250]);
  });

  it('retries at once when woken, but never opens two sockets', () => {
    const { ends, end, socket, timers } = startSocket();
    end().drop();
    socket.wake();
    socket.wake();
    expect(ends).toHaveLength(2);
    timers.advance(4000);
    expect(ends).toHaveLength(2);
  });

  it('reconnects if the server does not answer the token in time', () => {
    const { ends, end, timers, states } = startSocket();
    end().accept();
    timers.advance(5000);
    expect(end().closedByPage()).toBe(true);
    expect(states.at(-1)).toBe('reconnecting');
    timers.advance(250);
    expect(ends).toHaveLength(2);
  });

  it('stops when the token is refused', () => {
    const { ends, end, timers, states, refusals, socket } = startSocket();
    end().accept();
    end().drop(4401);
    expect(states.at(-1)).toBe('disconnected');
    expect(refusals()).toBe(1);
    timers.advance(60_000);
    socket.wake();
    expect(ends).toHaveLength(1);
  });

  it('retries if the socket was closed before the token was sent', () => {
    const { ends, end, timers, refusals } = startSocket();
    end().drop(4401);
    expect(refusals()).toBe(0);
    timers.advance(250);
    expect(ends).toHaveLength(2);
  });

  it('ignores messages from a closed socket', () => {
    const { ends, end, greet, frames, states, timers } = startSocket();
    greet();
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
  ])('are dropped: %s', (_, frame) => {
    const { end, greet, frames } = startSocket();
    greet();
    end().say(frame);
    end().say({ type: 'session:archived', sessionId: 'codex:1' });
    expect(frames).toEqual([{ type: 'session:archived', sessionId: 'codex:1' }]);
  });
});

describe('requests', () => {
  it('are matched with responses by id, in any order', async () => {
    const { end, greet, socket } = startSocket();
    greet();
    const first = socket.request('project:list', {});
    const second = socket.request('project:list', {});
    const [one, two] = end().sent.slice(1);
    end().say({ type: 'project:list', requestId: two?.requestId, projects: [] });
    end().say({ type: 'error', requestId: one?.requestId, code: 'INTERNAL_ERROR', message: 'It broke.' });
    expect(await second).toEqual({ ok: true, value: { projects: [] } });
    expect(await first).toMatchObject({ ok: false, error: { message: 'It broke.' } });
  });

  it('treat a response as an event too, unless it is an error', async () => {
    const { end, greet, socket, frames } = startSocket();
    greet();
    const removal = socket.request('project:remove', { projectId: '00000000-0000-4000-8000-000000000001' });
    const requestId = end().sent.at(-1)?.requestId;
    end().say({ type: 'project:removed', requestId, projectId: '00000000-0000-4000-8000-000000000001' });
    end().say({ type: 'error', requestId: 'other', code: 'INTERNAL_ERROR', message: 'It broke.' });
    expect((await removal).ok).toBe(true);
    expect(frames.map(({ type }) => type)).toEqual(['project:removed']);
  });

  it('end as unreachable if there is no connection or it is lost', async () => {
    const { end, greet, socket } = startSocket();
    expect(await socket.request('project:list', {})).toMatchObject({ ok: false });
    greet();
    const lost = socket.request('project:list', {});
    end().drop();
    expect(await lost).toMatchObject({ ok: false, error: { message: expect.stringContaining('cannot be reached') } });
  });

  it('end with an error if the response does not match the schema', async () => {
    const { end, greet, socket } = startSocket();
    greet();
    const asked = socket.request('project:list', {});
    end().say({ type: 'project:list', requestId: end().sent.at(-1)?.requestId, projects: 'none' });
    expect(await asked).toMatchObject({ ok: false, error: { message: expect.stringContaining('Reload') } });
  });
});
