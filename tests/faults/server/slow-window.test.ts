import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { bundleProgram } from '../bundle-program.ts';
import type { Order, Report } from './streaming-server.ts';

const MIB = 1024 * 1024;
const TOKEN = 'slow-window-token-0123456789';
const EVERY_MS = 1.5;

async function startServer(program: string) {
  const child = fork(program, [scratchDirectory(), TOKEN], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const nextReport = () =>
    new Promise<Report>((resolve) => child.once('message', (report) => resolve(report as Report)));
  const first = await nextReport();
  if (!('ready' in first)) throw new Error('The server did not start.');
  return {
    ...first.ready,
    async stream(order: Order['stream']) {
      const done = nextReport();
      child.send({ stream: order } satisfies Order);
      const report = await done;
      if (!('streamed' in report)) throw new Error('The server did not stream.');
      return report.streamed;
    },
  };
}

/** A window that reads and measures the age of each upsert on arrival. */
async function openWindow(url: string, sessionId: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}ws`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const ages: number[] = [];
  let onCount = () => {};
  const subscribed = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const made = /"turnId":"made ([\d.]+)"/.exec(data.toString('latin1', 0, 200))?.[1];
      const isUpsert = data.toString('latin1', 0, 30).includes('session:upsert');
      if (!isUpsert) return resolve();
      ages.push(performance.timeOrigin + performance.now() - Number(made));
      onCount();
    });
  });
  await new Promise((resolve) => socket.once('open', resolve));
  onTestFinished(() => socket.terminate());
  socket.send(JSON.stringify({ type: 'session:subscribe', sessionId }));
  await subscribed;
  return {
    socket,
    /** The ages of the next `count` upserts. */
    async take(count: number): Promise<number[]> {
      await new Promise<void>((resolve) => {
        onCount = () => {
          if (ages.length >= count) resolve();
        };
        onCount();
      });
      return ages.splice(0);
    },
  };
}

/** The 99th percentile of the ages. */
async function percentile99(
  windows: readonly Awaited<ReturnType<typeof openWindow>>[],
  count: number,
): Promise<number> {
  const ages = (await Promise.all(windows.map(({ take }) => take(count)))).flat();
  expect(ages).toHaveLength(count * windows.length);
  return ages.sort((a, b) => a - b)[Math.floor(ages.length * 0.99)] ?? Number.NaN;
}

it('a window that stops reading while 100 MB are streamed costs less than 64 MB and does not slow down others', async () => {
  const source = fileURLToPath(new URL('streaming-server.ts', import.meta.url));
  const program = await bundleProgram(source, scratchDirectory());
  // The control runs at the same time without a paused window and shows what the machine itself adds.
  const [server, control] = await Promise.all([startServer(program), startServer(program)]);
  const readers = [await openWindow(server.url, server.sessionId), await openWindow(server.url, server.sessionId)];
  const controls = [await openWindow(control.url, control.sessionId), await openWindow(control.url, control.sessionId)];
  const stream = async (megabytes: number) => {
    const order = { megabytes, everyMs: EVERY_MS };
    const [streamed, same] = await Promise.all([server.stream(order), control.stream(order)]);
    const slowest = await percentile99(readers, streamed.count);
    return { ...streamed, slowest, usual: await percentile99(controls, same.count) };
  };
  await stream(20);
  const sleeper = await openWindow(server.url, server.sessionId);
  const dropped = new Promise<void>((resolve) => sleeper.socket.once('close', () => resolve()));
  sleeper.socket.pause();

  const { rssBefore, rssPeak, slowest, usual } = await stream(100);

  const grown = (rssPeak - rssBefore) / MIB;
  console.log(
    `memory +${grown.toFixed(1)} MB, P99 ${slowest.toFixed(1)} ms (${usual.toFixed(1)} ms without a sleeper)`,
  );
  expect(grown).toBeLessThan(64);
  // If the machine itself adds much, the two servers may differ by as much.
  expect(slowest - usual).toBeLessThan(100 + usual);
  sleeper.socket.resume();
  await dropped;
});
