import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { systemClock } from '../../server/clock.ts';
import { createStreamCore, LIVE_BATCHING } from '../../server/streaming/stream-core.ts';
import { userItemId } from '../../shared/stream-contracts.ts';
import { openTestApp, type TestApp } from '../../tests/support/server/test-app.ts';
import { makeDeltas } from './measure.ts';

export interface Transfer {
  /** Everything that came through the socket, headers of frames included. */
  readonly bytes: number;
  /** From the first delta until the end of the turn has arrived. */
  readonly ms: number;
}

/** More than this waiting in the server's socket, and the agent pauses. */
const MOST_BUFFERED = 1024 * 1024;

/** Sends messages of an agent through a real server and a real socket, to a window that reads at once. */
export async function withSocketBench<T>(
  run: (transfer: (textBytes: number, appends: boolean) => Promise<Transfer>) => Promise<T>,
): Promise<T> {
  const app = await openTestApp();
  try {
    return await run((textBytes, appends) => transfer(app, textBytes, appends));
  } finally {
    await app.close();
  }
}

async function transfer(app: TestApp, textBytes: number, appends: boolean): Promise<Transfer> {
  const sessionId = await createSession(app);
  const turnId = randomUUID();
  const itemId = `${turnId}:0:0`;
  const socket = new WebSocket(app.socketUrl, { headers: { authorization: `Bearer ${app.token}` } });
  await new Promise((resolve) => socket.once('open', resolve));
  const subscribed = frameWith(socket, '"session:history"');
  socket.send(JSON.stringify({ type: 'session:subscribe', sessionId, appends }));
  await subscribed;
  const ended = frameWith(socket, '"turn_complete"');
  const { _socket: tcp } = socket as unknown as { _socket: Socket };

  const core = createStreamCore({
    sessionId,
    providerId: app.agent.cliType,
    clock: systemClock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert: app.agent.emitUpsert,
    onTurn: app.agent.emitTurn,
  });
  // As with a real agent, the turn is known before its answer begins.
  const known = frameWith(socket, '"session:upsert"');
  core.apply({ do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content: 'Go on' });
  await known;
  const deltas = makeDeltas();
  const before = tcp.bytesRead;
  const start = performance.now();
  core.apply({ do: 'item_start', turnId, itemId, kind: 'message' });
  for (let sent = 0; sent < textBytes; ) {
    const text = deltas[(sent / 4) % deltas.length] ?? '';
    core.apply({ do: 'item_delta', itemId, text });
    sent += text.length;
    while (bufferedBytes(app) > MOST_BUFFERED) await new Promise((resolve) => setImmediate(resolve));
  }
  core.apply({ do: 'turn_done', turnId, status: 'completed' });
  await ended;
  const result = { bytes: tcp.bytesRead - before, ms: performance.now() - start };
  socket.terminate();
  return result;
}

/** The frames waited for are short. The others are not read: a client of its own would do that in another process. */
function frameWith(socket: WebSocket, words: string): Promise<void> {
  return new Promise((resolve) => {
    socket.on('message', function look(data: Buffer) {
      if (data.length > 1_000 || !data.includes(words)) return;
      socket.off('message', look);
      resolve();
    });
  });
}

/** With an id as long as those of the real agents. */
async function createSession(app: TestApp): Promise<string> {
  const now = systemClock.now();
  const sessionId = `${app.agent.cliType}:${randomUUID()}`;
  const facts = { id: sessionId, projectId: (await app.addProject()).id, cliType: app.agent.cliType };
  app.agent.remember(sessionId, []);
  await app.stores.sessions.add({ ...facts, archived: false, title: 'Bench', createdAt: now, lastActiveAt: now });
  return sessionId;
}

function bufferedBytes(app: TestApp): number {
  let bytes = 0;
  for (const { bufferedAmount } of app.app.server.websocketServer.clients) bytes += bufferedAmount;
  return bytes;
}
