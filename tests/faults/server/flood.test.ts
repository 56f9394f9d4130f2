import { beforeAll, expect, it } from 'vitest';
import { openSocket, type SocketClient } from '../../support/server/socket-client.ts';
import { startStrangers } from '../../support/server/strangers.ts';
import { buildServer, runServer } from './run-server.ts';

beforeAll(buildServer);

/** Without a number, other tests run at the same time, which take most of the processor. */
const isWhole = process.env.LIMINAL_FLOOD_WINDOWS !== undefined;
const WINDOWS = Number(process.env.LIMINAL_FLOOD_WINDOWS ?? 20);
const AT_ONCE = WINDOWS * 5;
const PER_SECOND = isWhole ? 300 : 100;
const ADMITTED_WITHIN_S = isWhole ? 1 : 5;

const byHeader = async (url: string, token: string): Promise<SocketClient> => {
  const window = await openSocket(url, { headers: { authorization: `Bearer ${token}` } });
  await window.settled();
  return window;
};
const byFrame = async (url: string, token: string): Promise<SocketClient> => {
  const window = await openSocket(url);
  window.send({ type: 'auth', token });
  await window.next('auth:ok');
  return window;
};

it(`safe/flood ${WINDOWS} windows are admitted within ${ADMITTED_WITHIN_S} s and stay, among ${AT_ONCE} strangers and ${PER_SECOND} more every second`, async () => {
  const { origin, hash, port } = new URL(await runServer().ready());
  const token = hash.replace('#token=', '');
  const url = `${origin.replace('http', 'ws')}/ws`;
  const strangers = await startStrangers(Number(port), AT_ONCE, PER_SECOND);
  const windows: SocketClient[] = [];
  const times: number[] = [];

  for (let count = 0; count < WINDOWS; count += 1) {
    await strangers.more();
    const startedAt = performance.now();
    windows.push(await (count % 2 === 0 ? byFrame : byHeader)(url, token));
    times.push(performance.now() - startedAt);
    const answer = await fetch(`${origin}/api/project`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  }

  const slowest = Math.round(Math.max(...times));
  console.log(`${windows.length} of ${WINDOWS} windows admitted, the slowest after ${slowest} ms`);
  expect(slowest).toBeLessThan(ADMITTED_WITHIN_S * 1_000);
  await Promise.all(windows.map((window) => window.settled()));
});
