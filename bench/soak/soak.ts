import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { createProductClient } from '../../tests/fixtures/product-client.ts';
import type { ServerProcess } from '../../tests/fixtures/server-process.ts';
import { descendantsOf, processorSeconds, residentMib } from '../product/process-facts.ts';
import { startControl } from './control.ts';
import { type Conversation, textOf } from './conversation.ts';
import { causeFaults, type FaultReport } from './faults.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import { createLoad } from './load.ts';
import { type Sample, startSampling } from './samples.ts';
import { prepareScene, type Scene } from './scene.ts';
import { compareWithTruth, readTruth, type TruthReport } from './truth.ts';
import { compareWithFresh, openWindow, type SoakWindow } from './window.ts';

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
  /** From the print of the newest token in a message to the window. */
  readonly newest: Histogram;
  /** From the print of every token, the wait for its batch included. */
  readonly every: Histogram;
  /** From the print of a token to a reader on the same machine, without any server. */
  readonly control: Histogram;
  readonly samples: readonly Sample[];
  /** Share of one core that the server used. */
  readonly processorShare: number;
  /** Runnable processes before the start, on average of a minute: what else the machine was doing. */
  readonly loadBefore: number;
  readonly truth: TruthReport;
  /** Everything that was not as it should be, apart from what the agents' own record says. */
  readonly flaws: readonly string[];
  readonly turns: { readonly confirmed: number; readonly failed: number };
  readonly faults: readonly FaultReport[];
  readonly returns: number;
}

const FAULT_EVERY_MS = 10_000;
/** A fault that lasts must have passed before the end. */
const LAST_FAULT_BEFORE_END_MS = 30_000;
const END_WITHIN_MS = 90_000;

export async function soak(options: SoakOptions, say: (line: string) => void): Promise<SoakResult> {
  const epoch = Date.now();
  const [loadBefore = 0] = loadavg();
  const scene = prepareScene({ ...options, epoch, smallDisk: options.withFaults });
  const server = await scene.start();
  const flaws: string[] = [];
  const [newest, every] = [createHistogram(), createHistogram()];
  const onText = (text: string, at: number) => {
    const ages = text
      .trim()
      .split(' ')
      .map((token) => at - epoch - Number.parseInt(token, 36) / 10);
    for (const age of ages) every.add(age);
    newest.add(ages.at(-1) ?? 0);
  };

  const load = await createLoad(createProductClient(server), options.sessions, scene.projectDir);
  const windows = Array.from({ length: options.windows }, (_, index) =>
    openWindow({
      ...server,
      name: `window ${index + 1}`,
      // A window that is cut off or suspended on purpose says nothing about the time that others wait.
      ...((index === 0 || !options.withFaults) && { onText }),
      onFlaw: (flaw) => flaws.push(flaw),
      ...(index === 0 && { onIdle: load.next }),
    }),
  );
  for (const window of windows) for (const sessionId of load.sessionIds) window.subscribe(sessionId);
  await Promise.all(windows.map((window) => window.settled()));
  say(`${options.sessions} sessions stream to ${options.windows} windows.`);

  const control = startControl(scene.agent);
  const sampling = startSampling(server.pid);
  const usedBefore = processorSeconds(server.pid);
  const faults = await spendTime(options, { serverPid: server.pid, ...scene, windows, sessionIds: load.sessionIds });
  sampling.stop();
  control.stop();
  const processorShare = (processorSeconds(server.pid) - usedBefore) / (options.minutes * 60);
  load.stop();
  say('The time is over; the last turns end.');
  await allIdle(windows);

  for (const [index, window] of windows.entries()) {
    flaws.push(...(await compareWithFresh(window, { ...server, name: `window ${index + 1}` })));
  }
  const shown = windows[0]?.conversations ?? new Map<string, Conversation>();
  for (const [turnId, { sessionId, content }] of load.confirmed) {
    if (textOf(shown.get(sessionId)?.items.get(`${turnId}:user`)) !== content) flaws.push(`message ${turnId} is gone`);
  }
  const truth = compareWithTruth(readTruth(scene.truthDir), shown.values());
  flaws.push(...(await restart(scene, server, windows)));
  scene.remove();

  const failed = [...shown.values()].flatMap(({ turns }) => [...turns.values()].filter((status) => status === 'error'));
  const turns = { confirmed: load.confirmed.size, failed: failed.length };
  const returns = windows.reduce((sum, window) => sum + window.returns, 0);
  const { samples } = sampling;
  return {
    options,
    newest,
    every,
    control: control.ages,
    samples,
    processorShare,
    loadBefore,
    truth,
    flaws,
    turns,
    faults,
    returns,
  };
}

async function spendTime(options: SoakOptions, scene: Parameters<typeof causeFaults>[0]): Promise<FaultReport[]> {
  const ms = options.minutes * 60_000;
  const count = Math.floor((ms - LAST_FAULT_BEFORE_END_MS) / FAULT_EVERY_MS);
  const faults = options.withFaults ? causeFaults(scene, FAULT_EVERY_MS, count) : [];
  await pause(ms);
  return faults;
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

/** Kills the server, starts the next one, and compares what that one has with what the windows had been shown. */
async function restart(scene: Scene, server: ServerProcess, windows: readonly SoakWindow[]): Promise<string[]> {
  const agents = descendantsOf(server.pid);
  for (const window of windows) window.close();
  await server.stop('SIGKILL');
  const next = await scene.start();
  const left = agents.filter((pid) => !Number.isNaN(residentMib(pid)));
  const flaws = left.length > 0 ? [`processes ${left.join(', ')} outlived the server`] : [];

  const before = windows[0]?.conversations ?? new Map<string, Conversation>();
  const fresh = openWindow({ ...next, name: 'restarted' });
  for (const sessionId of before.keys()) fresh.subscribe(sessionId);
  await fresh.settled();
  fresh.close();
  for (const [sessionId, { items }] of before) {
    const kept = fresh.conversations.get(sessionId)?.items;
    for (const [itemId, item] of items) {
      const same = kept?.get(itemId);
      if (textOf(same) !== textOf(item) || same?.status !== item.status) flaws.push(`${itemId} is lost by a restart`);
    }
    if (kept?.size !== items.size)
      flaws.push(`${sessionId} has ${kept?.size} items after a restart, not ${items.size}`);
  }
  await next.stop();
  return flaws;
}
