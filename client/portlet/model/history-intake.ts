import type { z } from 'zod';
import { turnSummarySchema, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import type { Environment } from '../base/environment.ts';
import type { Conversation } from './conversation.ts';

export interface HistoryIntakeOptions {
  readonly conversation: Pick<Conversation, 'replace' | 'prepend' | 'isEmpty'>;
  readonly env: Pick<Environment, 'after'>;
  /** Parts that do not fit the contract are left out; this many. */
  readonly onInvalid: (count: number) => void;
}

/** A conversation that is not parsed yet, oldest first. */
interface RawHistory {
  readonly entries: readonly unknown[];
  readonly turns: readonly unknown[];
}

const FIRST = 60;
const THEN = 150;

/** The first parse of each kind builds its parser; a page that waits for its history has the time for it. */
export function warmUpHistoryIntake(): void {
  for (const type of ['message', 'thinking', 'tool_call']) upsertObjectSchema.safeParse({ type });
  turnSummarySchema.safeParse({});
}

/** Takes in a conversation. The first time its newest part comes first, and the rest in pieces behind the first paint. */
export function createHistoryIntake({ conversation, env, onInvalid }: HistoryIntakeOptions) {
  let stop: (() => void) | undefined;

  function parse<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
    const fitting: T[] = [];
    for (const value of values) {
      const result = schema.safeParse(value);
      if (result.success) fitting.push(result.data);
    }
    if (fitting.length < values.length) onInvalid(values.length - fitting.length);
    return fitting;
  }

  /** Parses the newest `count` of each, hands them over, and comes back for the rest. */
  function take({ entries, turns }: RawHistory, count: number, handOver: Conversation['prepend']): void {
    handOver(parse(upsertObjectSchema, entries.slice(-count)), parse(turnSummarySchema, turns.slice(-count)));
    const rest = { entries: entries.slice(0, -count), turns: turns.slice(0, -count) };
    const isDone = rest.entries.length === 0 && rest.turns.length === 0;
    stop = isDone ? undefined : env.after(0, () => take(rest, THEN, conversation.prepend));
  }

  return (history: RawHistory): void => {
    stop?.();
    // What is on the screen already must not go away and come back.
    const count = conversation.isEmpty() ? FIRST : Math.max(history.entries.length, history.turns.length, 1);
    take(history, count, conversation.replace);
  };
}
