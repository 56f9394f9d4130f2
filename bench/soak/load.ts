import type { ServerProcess } from '../../tests/fixtures/server-process.ts';

/** Keeps every session busy: as soon as a turn has ended, the next message goes out, as the page sends it. */
export interface Load {
  readonly sessionIds: readonly string[];
  /** Messages whose sending was confirmed, by turn id. */
  readonly confirmed: ReadonlyMap<string, { readonly sessionId: string; readonly content: string }>;
  /** What the user was told about messages that were not taken. */
  readonly refusals: readonly string[];
  next(sessionId: string): void;
  /** No further messages from now on. */
  stop(): void;
}

const TRY_AGAIN_MS = 1000;

export async function createLoad(server: ServerProcess, sessions: number, projectDir: string): Promise<Load> {
  const confirmed = new Map<string, { sessionId: string; content: string }>();
  const refusals: string[] = [];
  const sending = new Set<string>();
  let isStopped = false;
  let count = 0;

  async function post(path: string, body: object): Promise<{ ok: boolean; answer: Record<string, unknown> }> {
    const response = await fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { ok: response.ok, answer: (await response.json()) as Record<string, unknown> };
  }

  const sessionIds: string[] = [];
  while (sessionIds.length < sessions) {
    const { ok, answer } = await post('/api/session/create', { cliType: 'soak', projectDir });
    if (!ok) throw new Error(`A session could not be created: ${answer.message}`);
    sessionIds.push(String(answer.sessionId));
  }

  async function send(sessionId: string): Promise<void> {
    count += 1;
    const content = `Message ${count}: write on, please.`;
    const { ok, answer } = await post(`/api/session/${encodeURIComponent(sessionId)}/send`, { content });
    if (ok) confirmed.set(String(answer.turnId), { sessionId, content });
    else {
      refusals.push(String(answer.message));
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
