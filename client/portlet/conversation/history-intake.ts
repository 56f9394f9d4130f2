import { type TurnSummary, type UpsertObject, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import type { Environment } from '../environment.ts';
import type { Conversation } from './conversation.ts';

export interface HistoryIntakeOptions {
  readonly conversation: Pick<Conversation, 'replace' | 'prepend' | 'isEmpty'>;
  readonly env: Pick<Environment, 'after'>;
  /** Entries that do not fit the contract are left out; this many. */
  readonly onInvalid: (count: number) => void;
}

const FIRST = 100;
const THEN = 150;

/** Takes in a conversation. The first time its newest part comes first, and the rest in pieces behind the first paint. */
export function createHistoryIntake({ conversation, env, onInvalid }: HistoryIntakeOptions) {
  let stop: (() => void) | undefined;

  function parse(entries: readonly unknown[]): UpsertObject[] {
    const upserts: UpsertObject[] = [];
    for (const entry of entries) {
      const upsert = upsertObjectSchema.safeParse(entry);
      if (upsert.success) upserts.push(upsert.data);
    }
    if (upserts.length < entries.length) onInvalid(entries.length - upserts.length);
    return upserts;
  }

  function takeOlder(entries: readonly unknown[]): void {
    stop = undefined;
    if (entries.length === 0) return;
    conversation.prepend(parse(entries.slice(-THEN)));
    stop = env.after(0, () => takeOlder(entries.slice(0, -THEN)));
  }

  return (entries: readonly unknown[], turns: readonly TurnSummary[]): void => {
    stop?.();
    // What is on the screen already must not go away and come back.
    const first = conversation.isEmpty() ? FIRST : entries.length;
    conversation.replace(parse(entries.slice(-first)), turns);
    stop = env.after(0, () => takeOlder(entries.slice(0, -first)));
  };
}
