import { setTimeout as pause } from 'node:timers/promises';
import { createProductClient } from '../../tests/support/product/product-client.ts';
import { describeCircumstances } from '../product/circumstances.ts';
import { processorSeconds } from '../product/process-facts.ts';
import { disagreements, lostByRestart, lostMessages } from './checks.ts';
import { startControl } from './control.ts';
import { causeFaults, type FaultReport } from './faults.ts';
import type { Histogram } from './histogram.ts';
import { createLatency, type Latency } from './latency.ts';
import { createLoad } from './load.ts';
import { type Sample, startSampling } from './samples.ts';
import { prepareScene, type Scene } from './scene.ts';
import { compareWithTruth, readTruth, type TruthReport } from './truth.ts';
import { openWindow, type SoakWindow } from './window.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly withFaults: boolean;
  readonly sessions: number;
  readonly windows: number;
  readonly tokensPerSecond: number;
  readonly tokensPerMessage: number;
}

export interface SoakResult {
  readonly options: SoakOptions;
  /** From printing a token to the window. */
  readonly latency: Latency;
  /** From printing a token to a reader on the same machine, without a server. */
  readonly control: Histogram;
  readonly samples: readonly Sample[];
  /** Share of one core that the server used. */
  readonly processorShare: number;
  /** The load of the machine by other work, as a sentence. */
  readonly circumstances: string;
  readonly truth: TruthReport;
  /** All problems except those found by comparing with the agents' own records. */
  readonly flaws: readonly string[];
  readonly turns: { readonly confirmed: number; readonly failed: number };
  readonly faults: readonly FaultReport[];
  /** How often a window lost its connection and reconnected. */
  readonly returns: number;
}

const FAULT_EVERY_MS = 10_000;
/** A fault must be over before the end. */
const LAST_FAULT_BEFORE_END_MS = 30_000;
const END_WITHIN_MS = 90_000;

export async function soak(options: SoakOptions, say: (line: string) => void): Promise<SoakResult> {
  const circumstances = describeCircumstances();
  const scene = prepareScene(options);
  try {
    return { options, circumstances, ...(await soakIn(scene, options, say)) };
  } finally {
    await scene.remove();
  }
}

async function soakIn(scene: Scene, options: SoakOptions, say: (line: string) => void) {
  const server = await scene.start();
  const load = await createLoad(createProductClient(server), options.sessions, scene.projectDir);
  const latency = createLatency(scene.epoch);
  const flaws: string[] = [];
  const onFlaw = (flaw: string) => flaws.push(flaw);
  const first = openWindow({ ...server, name: 'window 1', onText: latency.take, onFlaw, onIdle: load.next });
  const others = Array.from({ length: options.windows - 1 }, (_, index) => {
    // Windows that are cut off or suspended on purpose do not count for the latency.
    const measured = options.withFaults ? {} : { onText: latency.take };
    return openWindow({ ...server, name: `window ${index + 2}`, onFlaw, ...measured });
  });
  const windows = [first, ...others];
  for (const window of windows) for (const sessionId of load.sessionIds) window.subscribe(sessionId);
  await Promise.all(windows.map((window) => window.settled()));
  say(`${options.sessions} sessions stream to ${options.windows} windows.`);

  const control = startControl(scene);
  const { samples, stop: stopSampling } = startSampling(server.pid);
  const usedBefore = processorSeconds(server.pid);
  const faults = await spendTime(options, { ...scene, serverPid: server.pid, windows, sessionIds: load.sessionIds });
  const processorShare = (processorSeconds(server.pid) - usedBefore) / (options.minutes * 60);
  stopSampling();
  control.stop();
  load.stop();
  say('The time is over; the last turns end.');
  await allIdle(windows);

  flaws.push(...(await disagreements(windows, server)), ...lostMessages(load, first));
  const truth = compareWithTruth(readTruth(scene.truthDir), first.conversations.values());
  for (const window of windows) window.close();
  flaws.push(...(await lostByRestart(scene, server, first)));

  const endings = [...first.conversations.values()].flatMap(({ turns }) => [...turns.values()]);
  const turns = { confirmed: load.confirmed.size, failed: endings.filter((status) => status === 'error').length };
  const returns = windows.reduce((sum, window) => sum + window.returns, 0);
  return { latency, control: control.ages, samples, processorShare, truth, flaws, turns, faults, returns };
}

async function spendTime(options: SoakOptions, scene: Parameters<typeof causeFaults>[0]): Promise<FaultReport[]> {
  const ms = options.minutes * 60_000;
  const count = Math.floor((ms - LAST_FAULT_BEFORE_END_MS) / FAULT_EVERY_MS);
  const faults = options.withFaults ? causeFaults(scene, FAULT_EVERY_MS, count) : [];
  const [reports] = await Promise.all([faults, pause(ms)]);
  return reports;
}

async function allIdle(windows: readonly SoakWindow[]): Promise<void> {
  const deadline = performance.now() + END_WITHIN_MS;
  const isBusy = (window: SoakWindow) => [...window.conversations.values()].some((each) => each.isRunning());
  while (windows.some(isBusy)) {
    if (performance.now() > deadline) throw new Error('Turns are still shown as running long after the end.');
    await pause(100);
  }
  await Promise.all(windows.map((window) => window.settled()));
}
