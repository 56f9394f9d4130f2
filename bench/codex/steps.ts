import { median } from '../report.ts';

/** The duration of a step and the CPU time of our process during it. */
export interface Duration {
  readonly ms: number;
  readonly cpuMs: number;
}

/** What is measured on both routes. */
export interface Steps {
  /** From the spawn to the reply to the handshake. */
  readonly start: Duration;
  readonly newSession: Duration;
  /** From the prompt to the first text of the reply. */
  readonly firstChunk: Duration;
  /** The same for the second prompt. */
  readonly secondTurn: Duration;
  /** Until the whole conversation is loaded. */
  readonly load: Duration;
}

export type StepName = keyof Steps;

export async function time<T>(work: () => Promise<T>): Promise<{ readonly took: Duration; readonly value: T }> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { took: { ms: performance.now() - start, cpuMs: (user + system) / 1000 }, value };
}

/** How many sessions with two turns each process gets; their median counts. */
export const CONVERSATIONS = 5;

/** How many processes a round starts; their median counts. */
export const STARTS = 3;

/** Starts and stops processes. Returns the last one, with the median start time. */
export async function measureStarts<Running extends { stop(): Promise<unknown> }>(start: () => Promise<Running>) {
  const times: Duration[] = [];
  for (;;) {
    const { value: running, took } = await time(start);
    times.push(took);
    if (times.length === STARTS) return { running, took: middle(times) };
    await running.stop();
  }
}

/** A running process, on either route. */
export interface Route<Session> {
  newSession(): Promise<Session>;
  /** Resolves when the turn has ended, to the time until its first text. */
  turn(session: Session, text: string): Promise<Duration>;
  /** Loads the long conversation. */
  load(): Promise<unknown>;
}

export async function measureSteps<Session>(start: Duration, route: Route<Session>): Promise<Steps> {
  const conversations: Pick<Steps, 'newSession' | 'firstChunk' | 'secondTurn'>[] = [];
  for (let round = 0; round < CONVERSATIONS; round += 1) {
    const { value: session, took: newSession } = await time(route.newSession);
    const firstChunk = await route.turn(session, 'first');
    const secondTurn = await route.turn(session, 'second');
    conversations.push({ newSession, firstChunk, secondTurn });
  }
  const load = await time(route.load);
  return {
    start,
    newSession: middle(conversations.map(({ newSession }) => newSession)),
    firstChunk: middle(conversations.map(({ firstChunk }) => firstChunk)),
    secondTurn: middle(conversations.map(({ secondTurn }) => secondTurn)),
    load: load.took,
  };
}

function middle(durations: readonly Duration[]): Duration {
  return { ms: median(durations.map(({ ms }) => ms)), cpuMs: median(durations.map(({ cpuMs }) => cpuMs)) };
}
