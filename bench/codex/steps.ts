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
