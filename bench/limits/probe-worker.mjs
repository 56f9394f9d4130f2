// @ts-check
// Asks the server for its health without a pause, and tells how long its answers took at most: on the clock, and in
// processor time of the server, which other work on the machine does not change. Runs in a thread of its own, so that
// what the benchmark does with frames is not measured.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 5;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const { origin, pid } = workerData;
let longest = { clockMs: 0, busyMs: 0 };
let isOver = false;

/** Of the thread that runs the event loop. */
function busyMs() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

function ask() {
  return new Promise((resolve) => {
    get(`${origin}/api/health`, { agent }, (response) => response.resume().once('end', resolve)).once('error', resolve);
  });
}

parentPort?.on('message', (word) => {
  if (word === 'stop') isOver = true;
  parentPort?.postMessage(longest);
  longest = { clockMs: 0, busyMs: 0 };
});

while (!isOver) {
  const [startedAt, busyBefore] = [performance.now(), busyMs()];
  await ask();
  longest = {
    clockMs: Math.max(longest.clockMs, performance.now() - startedAt),
    busyMs: Math.max(longest.busyMs, busyMs() - busyBefore),
  };
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
agent.destroy();
parentPort?.close();
