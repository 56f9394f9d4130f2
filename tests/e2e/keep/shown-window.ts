import type { TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';
import { isUserItemId } from '../../../shared/stream-contracts.ts';
import { beginTurn, foldTurn } from '../../../shared/turns.ts';
import type { ProductClient } from '../../support/product/product-client.ts';
import type { Frame } from '../../support/server/socket-client.ts';

/** What a window shows of a session. */
export interface Shown {
  readonly items: ReadonlyMap<string, UpsertObject>;
  readonly turns: ReadonlyMap<string, TurnSummary>;
}

export interface ShownWindow {
  /** What was shown at a moment, by Date.now(). */
  shownAt(time: number): Shown;
  /** Resolves when this holds. */
  until(holds: (shown: Shown) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Subscribes a window to a session and keeps everything it is sent. */
export async function showSession(client: ProductClient, sessionId: string): Promise<ShownWindow> {
  const window = await client.window();
  const frames: { readonly frame: Frame; readonly at: number }[] = [];
  const checks = new Set<() => void>();
  window.socket.on('message', (data) => {
    frames.push({ frame: JSON.parse(String(data)) as Frame, at: Date.now() });
    for (const check of [...checks]) check();
  });
  await window.ask('session:subscribe', { sessionId });
  const shownAt = (time: number) => fold(frames.filter(({ frame, at }) => at <= time && frame.sessionId === sessionId));
  return {
    shownAt,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!holds(shownAt(Number.POSITIVE_INFINITY))) return;
          checks.delete(check);
          resolve();
        };
        checks.add(check);
        void window.closed.then(() => reject(new Error('The window closed while something was awaited.')));
        check();
      }),
    close: () => window.close(),
  };
}

function fold(frames: readonly { readonly frame: Frame; readonly at: number }[]): Shown {
  let items = new Map<string, UpsertObject>();
  let turns = new Map<string, TurnSummary>();
  for (const { frame, at } of frames) {
    const now = new Date(at).toISOString();
    const { payload } = frame;
    if (frame.type === 'session:history') {
      items = new Map((frame.entries ?? []).map((item) => [item.itemId, item]));
      turns = new Map((frame.turns ?? []).map((turn) => [turn.turnId, turn]));
    } else if (frame.type === 'session:upsert' && payload !== undefined && 'itemId' in payload) {
      items.set(payload.itemId, payload);
      if (isUserItemId(payload.itemId) && !turns.has(payload.turnId))
        turns.set(payload.turnId, beginTurn(payload.turnId, now));
    } else if (frame.type === 'session:turn' && payload !== undefined && !('itemId' in payload)) {
      const turn = foldTurn(turns.get(payload.turnId), payload, now);
      if (turn !== undefined) turns.set(payload.turnId, turn);
    }
  }
  return { items, turns };
}

export function isIdle({ turns }: Shown): boolean {
  return [...turns.values()].every(({ status }) => status !== 'running');
}
