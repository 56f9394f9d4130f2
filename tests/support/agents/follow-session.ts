import type { CliProvider } from '../../../server/engine/provider-types.ts';
import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';

export type TurnEnd = Exclude<TurnEvent, { type: 'turn_started' }>;

/** A session and everything it has emitted. */
export interface FollowedSession {
  readonly sessionId: string;
  readonly upserts: readonly UpsertObject[];
  readonly turns: readonly TurnEvent[];
  /** The last state of each item, in the order they first appeared. */
  items(): UpsertObject[];
  itemsOf(turnId: string): UpsertObject[];
  /** Sends a message; resolves to its turn id once it is bound. */
  send(text: string): Promise<string>;
  /** Sends a message and waits for the end of its turn. */
  turn(text: string): Promise<TurnEnd>;
  ended(turnId: string): Promise<TurnEnd>;
  /** Resolves to the first upsert, past or to come, for which this holds. */
  seen(wanted: (upsert: UpsertObject) => boolean): Promise<UpsertObject>;
}

export function followSession(provider: CliProvider, sessionId: string): FollowedSession {
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const checks = new Set<() => void>();
  const recheck = () => {
    for (const check of [...checks]) check();
  };
  provider.onUpsert(sessionId, (upsert) => {
    upserts.push(upsert);
    recheck();
  });
  provider.onTurn(sessionId, (event) => {
    turns.push(event);
    recheck();
  });

  const find = <T>(look: () => T | undefined) =>
    new Promise<T>((resolve) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        checks.delete(check);
        resolve(found);
      };
      checks.add(check);
      check();
    });
  const isEndOf =
    (turnId: string) =>
    (event: TurnEvent): event is TurnEnd =>
      event.turnId === turnId && event.type !== 'turn_started';

  const items = () => [...new Map(upserts.map((upsert) => [upsert.itemId, upsert])).values()];
  const send = async (text: string) => (await provider.sendMessage(sessionId, text)).turnId;
  const ended = (turnId: string) => find(() => turns.find(isEndOf(turnId)));

  return {
    sessionId,
    upserts,
    turns,
    items,
    itemsOf: (turnId) => items().filter((item) => item.turnId === turnId),
    send,
    turn: async (text) => ended(await send(text)),
    ended,
    seen: (wanted) => find(() => upserts.find(wanted)),
  };
}
