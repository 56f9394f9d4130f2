import { setTimeout as pause } from 'node:timers/promises';
import type { SocketClient } from '../../tests/support/server/socket-client.ts';
import { type BenchRow, median } from '../report.ts';
import { configureEcho } from './echo.ts';
import { writeEnvelopeConversation } from './long-conversations.ts';
import { createScratch, type Product, startProduct } from './rig.ts';

const ENTRIES = 200;
const RUNS = 5;
const TARGET_MS = 2000;
const TRY_AGAIN_MS = 250;

/** From `kill -9` of the server, restarted at once, until a window has the conversation again. */
export async function reconnect(): Promise<BenchRow[]> {
  const scratch = createScratch();
  configureEcho(scratch);
  let server = await startProduct(scratch);
  const port = Number(new URL(server.origin).port);
  const sessionId = await server.createSession('echo', scratch.projectDir);
  writeEnvelopeConversation(scratch, sessionId, ENTRIES);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const window = await server.window();
    await window.ask('session:subscribe', { sessionId });
    const startedAt = performance.now();
    await server.stop('SIGKILL');
    const restarting = startProduct(scratch, { port });
    const back = await comeBack(server);
    await back.ask('session:subscribe', { sessionId });
    times.push(performance.now() - startedAt);
    await back.close();
    server = await restarting;
  }
  await server.stop();
  scratch.remove();
  return [
    {
      measure: `kill -9 of the server, restart, reconnect and resync of ${ENTRIES} entries, median of ${RUNS}`,
      value: `${median(times).toFixed(0)} ms`,
      target: `< ${TARGET_MS} ms`,
      met: median(times) < TARGET_MS,
    },
  ];
}

/** Retries until it is connected, as the page does. */
async function comeBack(server: Product): Promise<SocketClient> {
  for (;;) {
    try {
      return await server.window();
    } catch {
      await pause(TRY_AGAIN_MS);
    }
  }
}
