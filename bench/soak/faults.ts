import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { descendantsOf } from '../product/process-facts.ts';
import type { SoakWindow } from './window.ts';

/** An injected fault and what the user saw of it. */
export interface FaultReport {
  readonly fault: string;
  /** Undefined if nothing was visible. */
  readonly seen: string | undefined;
}

export interface FaultScene {
  readonly serverPid: number;
  readonly dataDir: string;
  readonly windows: readonly SoakWindow[];
  readonly sessionIds: readonly string[];
}

type Fault = (scene: FaultScene, round: number) => Promise<FaultReport>;

const SEEN_WITHIN_MS = 8_000;
const LOOK_AGAIN_MS = 50;
const SUSPENDED_MS = 4_000;
/** A little over two heartbeats, after which the server has disconnected a window that does not read. */
const FROZEN_MS = 27_000;

/** Repeated in this order. */
const faults: readonly Fault[] = [killAgent, cutWindow, fillDisk, suspendAgent, freezeWindow, suspendServer];

/** Injects one fault after the other, each at its time. Resolves when the last one is over. */
export async function causeFaults(scene: FaultScene, everyMs: number, count: number): Promise<FaultReport[]> {
  const underWay: Promise<FaultReport>[] = [];
  for (let index = 0; index < count; index += 1) {
    await pause(everyMs);
    const fault = faults[index % faults.length];
    if (fault !== undefined) underWay.push(fault(scene, index));
  }
  return Promise.all(underWay);
}

/** The first window is the one that is observed. */
function killAgent({ serverPid, windows, sessionIds }: FaultScene, round: number): Promise<FaultReport> {
  const { pid, sessionId } = agentOf(serverPid, sessionIds, round);
  const seen = firstSign(windows[0], { sessionId });
  process.kill(pid, 'SIGKILL');
  return report('kill -9 of an agent', seen);
}

function cutWindow({ windows }: FaultScene, round: number): Promise<FaultReport> {
  const window = windows[1 + (round % (windows.length - 1))];
  const seen = firstSign(window);
  window?.cut();
  return report('a window loses its connection', seen);
}

async function freezeWindow({ windows }: FaultScene, round: number): Promise<FaultReport> {
  const window = windows[1 + (round % (windows.length - 1))];
  const seen = firstSign(window, { withinMs: FROZEN_MS + SEEN_WITHIN_MS });
  window?.freeze(true);
  await pause(FROZEN_MS);
  window?.freeze(false);
  return report('a window stops reading', seen);
}

/** Fills the disk of the data directory for some seconds. */
async function fillDisk({ dataDir, windows }: FaultScene): Promise<FaultReport> {
  const seen = firstSign(windows[0], { about: /saved/ });
  const filler = join(dataDir, 'filler');
  const file = openSync(filler, 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (let size = block.length; size >= 1; ) {
      try {
        writeSync(file, block, 0, size);
      } catch {
        size = Math.floor(size / 2);
      }
    }
    return { fault: 'the disk of the data directory is full', seen: await seen };
  } finally {
    closeSync(file);
    await pause(SUSPENDED_MS);
    rmSync(filler);
  }
}

async function suspendAgent({ serverPid, windows, sessionIds }: FaultScene, round: number): Promise<FaultReport> {
  const { pid, sessionId } = agentOf(serverPid, sessionIds, round);
  const seen = silence(windows[0], sessionId);
  await suspend(pid);
  return report('an agent is suspended', seen);
}

async function suspendServer({ serverPid, windows, sessionIds }: FaultScene, round: number): Promise<FaultReport> {
  const seen = silence(windows[0], sessionIds[round % sessionIds.length] ?? '');
  await suspend(serverPid);
  return report('the server is suspended', seen);
}

async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(SUSPENDED_MS);
  process.kill(pid, 'SIGCONT');
}

async function report(fault: string, seen: Promise<string | undefined>): Promise<FaultReport> {
  return { fault, seen: await seen };
}

function agentOf(serverPid: number, sessionIds: readonly string[], round: number): { pid: number; sessionId: string } {
  const sessionId = sessionIds[(round * 7) % sessionIds.length] ?? '';
  const pid = descendantsOf(serverPid).find((candidate) => environmentOf(candidate).includes(sessionId));
  if (pid === undefined) throw new Error(`The session ${sessionId} has no process.`);
  return { pid, sessionId };
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

interface SignFilter {
  readonly sessionId?: string;
  readonly about?: RegExp;
  readonly withinMs?: number;
}

/** What the user sees in this window from now on. */
async function firstSign(window: SoakWindow | undefined, { sessionId, about, withinMs }: SignFilter = {}) {
  const from = window?.signs.length ?? 0;
  const deadline = performance.now() + (withinMs ?? SEEN_WITHIN_MS);
  while (performance.now() < deadline) {
    const sign = window?.signs
      .slice(from)
      .find((each) => (sessionId ?? each.sessionId) === each.sessionId && (about?.test(each.text) ?? true));
    if (sign !== undefined) return sign.text;
    await pause(LOOK_AGAIN_MS);
  }
  return undefined;
}

/** A turn is shown as running while nothing arrives; the page counts the seconds. */
async function silence(window: SoakWindow | undefined, sessionId: string): Promise<string | undefined> {
  const items = () => JSON.stringify([...(window?.conversations.get(sessionId)?.items.values() ?? [])].at(-1));
  let longest = 0;
  let last = items();
  let since = performance.now();
  const deadline = since + SUSPENDED_MS + SEEN_WITHIN_MS;
  while (performance.now() < deadline) {
    await pause(LOOK_AGAIN_MS);
    const isRunning = window?.conversations.get(sessionId)?.isRunning() ?? false;
    if (isRunning && items() === last) longest = Math.max(longest, performance.now() - since);
    else {
      last = items();
      since = performance.now();
    }
  }
  const seconds = (longest / 1000).toFixed(1);
  return longest > SUSPENDED_MS * 0.75 ? `The turn is shown as running and silent for ${seconds} s.` : undefined;
}
