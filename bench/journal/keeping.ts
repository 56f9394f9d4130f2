import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { systemClock } from '../../server/clock.ts';
import type { Journal } from '../../server/journal/journal.ts';
import { openJournal } from '../../server/journal/open-journal.ts';
import { createStreamCore, LIVE_BATCHING, type StreamCore } from '../../server/streaming/stream-core.ts';
import { userItemId } from '../../shared/stream-contracts.ts';
import { openTestApp, type TestApp } from '../../tests/support/server/test-app.ts';
import { type BenchRow, median, quantile } from '../report.ts';

const SESSIONS = 20;
const TOKENS_PER_SECOND = 100;
const SECONDS = 8;
const PAIRS = 4;
const IO = '/proc/self/io';

interface Measured {
  /** From a token to the frame that has it, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** In hundredths of a core. */
  readonly points: number;
  readonly bytesPerToken: number;
}

/** The same streams with and without the journal, in turn. Server, worker and reader are one process. */
export async function keeping(): Promise<BenchRow[]> {
  await stream(nothingKept, 2);
  const [without, withJournal]: [Measured[], Measured[]] = [[], []];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    without.push(await stream(nothingKept, SECONDS));
    withJournal.push(await stream(kept, SECONDS));
  }
  const of = (runs: readonly Measured[], value: (one: Measured) => number) => median(runs.map(value));
  const both = (value: (one: Measured) => number) => [of(withJournal, value), of(without, value)] as const;
  const [p99, p99Without] = both(({ p99: value }) => value);
  const [p50, p50Without] = both(({ p50: value }) => value);
  const [points, pointsWithout] = both(({ points: value }) => value);
  const [bytes, bytesWithout] = both(({ bytesPerToken }) => bytesPerToken);
  const what = `${SESSIONS} sessions at ${TOKENS_PER_SECOND} tokens/s`;
  return [
    {
      measure: `${what}: P99 from a token to the socket, with the journal against without`,
      value: `${signed(p99 - p99Without)} ms (${p99.toFixed(1)} against ${p99Without.toFixed(1)}; P50 ${p50.toFixed(1)} against ${p50Without.toFixed(1)})`,
      target: '≤ +2 ms',
      met: p99 - p99Without <= 2,
    },
    {
      measure: `${what}: processor time, with the journal against without`,
      value: `${signed(points - pointsWithout)} points of a core (${points.toFixed(1)} against ${pointsWithout.toFixed(1)})`,
      target: '≤ +5 points',
      met: points - pointsWithout <= 5,
    },
    { measure: `${what}: bytes written to disk per token`, value: `${(bytes - bytesWithout).toFixed(0)}` },
  ];
}

const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(1)}`;

type MakeJournal = (dataDir: string) => Promise<Journal>;

const kept: MakeJournal = (dataDir) => openJournal({ dataDir, thread: 'worker', warn: console.error });

const nothingKept: MakeJournal = async () => ({
  record: () => undefined,
  durable: async () => undefined,
  open: async () => undefined,
  page: async () => undefined,
  read: async () => ({ entries: [], turns: [] }),
  hasTurn: async () => false,
  replace: async () => undefined,
  remove: async () => undefined,
  size: async () => ({ bytes: 0, items: 0 }),
  found: { read: async () => [], write: async () => undefined },
  close: async () => undefined,
});

async function stream(makeJournal: MakeJournal, seconds: number): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'liminal-bench-'));
  const journal = await makeJournal(directory);
  await journal.size();
  const app = await openTestApp({ stores: (stores) => ({ ...stores, journal }) });
  const latencies: number[] = [];
  const socket = await openSocket(app, latencies);
  const cores = await Promise.all(Array.from({ length: SESSIONS }, () => openStream(app, socket)));
  await pause(1_000);
  latencies.length = 0;
  const [cpu, written, startedAt] = [process.cpuUsage(), bytesWritten(), performance.now()];
  const tokens = SESSIONS * TOKENS_PER_SECOND * seconds;
  for (let sent = 0; sent < tokens; ) {
    const due = Math.min(tokens, ((performance.now() - startedAt) / 1_000) * SESSIONS * TOKENS_PER_SECOND);
    for (; sent < due; sent += 1) cores[sent % SESSIONS]?.(` ${performance.now().toFixed(1)}`);
    await pause(2);
  }
  await pause(600);
  const elapsed = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  const bytesPerToken = (bytesWritten() - written) / tokens;
  socket.terminate();
  await app.close();
  await journal.close();
  rmSync(directory, { recursive: true });
  return {
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    points: ((user + system) / 1_000 / elapsed) * 100,
    bytesPerToken,
  };
}

/** A window that notes how old the newest token of each frame is. */
async function openSocket(app: TestApp, latencies: number[]): Promise<WebSocket> {
  const socket = new WebSocket(app.socketUrl, { headers: { authorization: `Bearer ${app.token}` } });
  socket.setMaxListeners(SESSIONS + 2);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.on('message', (data: Buffer) => {
    const made = /"session:append".* (\d+\.\d)"/.exec(data.toString())?.[1];
    if (made !== undefined) latencies.push(performance.now() - Number(made));
  });
  return socket;
}

/** A session whose agent is in the middle of an answer. Returns what adds a token to it. */
async function openStream(app: TestApp, socket: WebSocket): Promise<(text: string) => void> {
  const sessionId = `${app.agent.cliType}:${randomUUID()}`;
  const at = systemClock.now();
  const project = await app.addProject(sessionId.replace(':', '-'));
  app.agent.remember(sessionId, []);
  await app.stores.sessions.add({
    id: sessionId,
    projectId: project.id,
    cliType: app.agent.cliType,
    archived: false,
    title: 'Bench',
    createdAt: at,
    lastActiveAt: at,
  });
  socket.send(JSON.stringify({ type: 'session:subscribe', sessionId, appends: true }));
  await new Promise<void>((resolve) => {
    socket.on('message', function look(data: Buffer) {
      if (!data.includes('"session:history"') || !data.includes(sessionId)) return;
      socket.off('message', look);
      resolve();
    });
  });
  const turnId = randomUUID();
  const itemId = `${turnId}:0:0`;
  const core: StreamCore = createStreamCore({
    sessionId,
    providerId: app.agent.cliType,
    clock: systemClock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert: app.agent.emitUpsert,
    onTurn: app.agent.emitTurn,
  });
  core.apply({ do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content: 'Go on' });
  core.apply({ do: 'item_start', turnId, itemId, kind: 'message' });
  return (text) => core.apply({ do: 'item_delta', itemId, text });
}

/** By this process to its disks. Zero where the system does not tell. */
function bytesWritten(): number {
  if (!existsSync(IO)) return 0;
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(IO, 'utf8'))?.[1] ?? 0);
}
