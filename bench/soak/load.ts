import type { ProductClient } from '../../tests/support/product/product-client.ts';

/** Keeps all sessions busy: sends the next message as soon as a turn has ended. */
export interface Load {
  readonly sessionIds: readonly string[];
  /** Confirmed messages by turn id. */
  readonly confirmed: ReadonlyMap<string, { readonly sessionId: string; readonly content: string }>;
  /** The errors shown for rejected messages. */
  readonly refusals: readonly string[];
  next(sessionId: string): void;
  /** Sends no further messages. */
  stop(): void;
}

const TRY_AGAIN_MS = 1000;

export async function createLoad(client: ProductClient, sessions: number, projectDir: string): Promise<Load> {
  const confirmed = new Map<string, { sessionId: string; content: string }>();
  const refusals: string[] = [];
  const sending = new Set<string>();
  let isStopped = false;
  let count = 0;

  const sessionIds: string[] = [];
  while (sessionIds.length < sessions) sessionIds.push(await client.createSession('soak', projectDir));

  async function send(sessionId: string): Promise<void> {
    count += 1;
    const content = `Message ${count}: write on, please.`;
    try {
      confirmed.set(await client.send(sessionId, content), { sessionId, content });
    } catch (error) {
      refusals.push(String(error));
      setTimeout(() => next(sessionId), TRY_AGAIN_MS);
    }
  }

  function next(sessionId: string): void {
    if (isStopped || sending.has(sessionId)) return;
    sending.add(sessionId);
    void send(sessionId).finally(() => sending.delete(sessionId));
  }

  return {
    sessionIds,
    confirmed,
    refusals,
    next,
    stop() {
      isStopped = true;
    },
  };
}
