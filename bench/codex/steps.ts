/** What is measured on both routes, in milliseconds. */
export interface Steps {
  /** From the spawn to the answer to the handshake. */
  readonly start: number;
  readonly newSession: number;
  /** From the prompt to the first words of its answer. */
  readonly firstChunk: number;
  /** The same for the second prompt. */
  readonly secondTurn: number;
  /** Until the whole conversation is there. */
  readonly load: number;
}

export type StepName = keyof Steps;

/** Runs something and answers with how long it took. */
export async function time<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}
