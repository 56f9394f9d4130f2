import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { fromCanonical } from '../../shared/ids.ts';
import { residentMib } from '../product/process-facts.ts';
import type { Scratch } from '../product/rig.ts';
import type { BenchRow } from '../report.ts';
import { startVolumeRig } from './volume.ts';

const COUNTS: readonly number[] = [1, 10, 100];
/** A page has at least 50 entries, so these make a snapshot of 10 MB. */
const ENTRIES = 60;
const ENTRY_LENGTH = 200_000;
const SETTLE_MS = 4_000;

/** One window that subscribes again and again and reads nothing. */
export async function unreadSubscriptions(): Promise<BenchRow[]> {
  const grown: number[] = [];
  for (const count of COUNTS) grown.push(await subscribeUnread(count));
  return [
    {
      measure: `memory of the server for ${COUNTS.join(', ')} subscriptions of one window that reads nothing, MiB more than before`,
      value: grown.map((mib) => mib.toFixed(0)).join(', '),
      target: '100 cost no more than 64 MiB over one',
      met: (grown.at(-1) ?? 0) - (grown[0] ?? 0) <= 64,
    },
  ];
}

async function subscribeUnread(count: number): Promise<number> {
  const rig = await startVolumeRig();
  const { server, scratch } = rig;
  const sessionId = await server.createSession('envelope', scratch.projectDir);
  writeConversation(scratch, sessionId);
  await server.post(`/api/session/${encodeURIComponent(sessionId)}/kill`);
  const window = await server.window();
  await window.ask('session:subscribe', { sessionId });
  const headers = { authorization: `Bearer ${server.token}` };
  const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/ws`, { headers, perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.pause();
  const before = residentMib(server.pid);
  for (let index = 0; index < count; index += 1) socket.send(JSON.stringify({ type: 'session:subscribe', sessionId }));
  let most = 0;
  for (const until = performance.now() + SETTLE_MS; performance.now() < until; await pause(50))
    most = Math.max(most, residentMib(server.pid));
  socket.terminate();
  await window.close();
  await rig.close();
  return most - before;
}

function writeConversation({ dataDir }: Scratch, sessionId: string): void {
  const { cliType, nativeId } = fromCanonical(sessionId);
  const at = new Date().toISOString();
  const lines = Array.from({ length: ENTRIES }, (_, order) => {
    const ids = { turnId: 't', sessionId, itemId: `t:agent:${order}`, sourceTimestamp: at, emittedAt: at };
    const content = `${order} `.padEnd(ENTRY_LENGTH, 'word ');
    return JSON.stringify({ order, item: { type: 'message', ...ids, status: 'complete', content, origin: 'agent' } });
  });
  writeFileSync(join(dataDir, 'envelope', cliType, `${nativeId}.jsonl`), `${lines.join('\n')}\n`);
}
