import { median } from '../report.ts';

/** How long something took, and how much of our own processor time went into it. */
export interface Duration {
  readonly ms: number;
  readonly cpuMs: number;
}

/** What is measured on both routes. */
export interface Steps {
  /** From the spawn to the answer to the handshake. */
  readonly start: Duration;
  readonly newSession: Duration;
  /** From the prompt to the first words of its answer. */
  readonly firstChunk: Duration;
  /** The same for the second prompt. */
  readonly secondTurn: Duration;
  /** Until the whole conversation is there. */
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

/** How often each process is asked for a new session with two turns; what counts is the median of them. */
export const CONVERSATIONS = 5;

/** How often a round starts a process; what counts is the median of them. */
export const STARTS = 3;

/** Starts and stops processes; the last one stays, with the median of the times to its readiness. */
export async function measureStarts<Running extends { stop(): Promise<unknown> }>(start: () => Promise<Running>) {
  const times: Duration[] = [];
  for (;;) {
    const { value: running, took } = await time(start);
    times.push(took);
    if (times.length === STARTS) return { running, took: middle(times) };
    await running.stop();
  }
}

/** What is the same on both routes: a process that runs, and how it is asked. */
export interface Route<Session> {
  newSession(): Promise<Session>;
  /** Resolves when the turn has ended, with the time to its first words. */
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
