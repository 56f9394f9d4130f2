import type { z } from 'zod';
import { turnSummarySchema, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import type { Environment } from '../base/environment.ts';
import type { Conversation } from './conversation.ts';

export interface HistoryIntakeOptions {
  readonly conversation: Pick<Conversation, 'replace' | 'prepend' | 'isEmpty'>;
  readonly env: Pick<Environment, 'after'>;
  /** Called with the number of entries that were skipped because they do not match the schema. */
  readonly onInvalid: (count: number) => void;
}

/** An unparsed conversation, oldest first. */
interface RawHistory {
  readonly entries: readonly unknown[];
  readonly turns: readonly unknown[];
}

const FIRST_BATCH = 60;
const NEXT_BATCH = 150;

/** Zod builds a parser on its first use. Doing that while waiting for the history makes the first paint faster. */
export function warmUpHistoryIntake(): void {
  for (const type of ['message', 'thinking', 'tool_call']) upsertObjectSchema.safeParse({ type });
  turnSummarySchema.safeParse({});
}

/** Parses a history. On the first load the newest part comes first, and the rest follows in batches after the paint. */
export function createHistoryIntake({ conversation, env, onInvalid }: HistoryIntakeOptions) {
  let stop: (() => void) | undefined;

  function parse<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
    const valid: T[] = [];
    for (const value of values) {
      const result = schema.safeParse(value);
      if (result.success) valid.push(result.data);
    }
    if (valid.length < values.length) onInvalid(values.length - valid.length);
    return valid;
  }

  /** Parses the newest `count` entries and turns, delivers them and schedules the rest. */
  function take({ entries, turns }: RawHistory, count: number, deliver: Conversation['prepend']): void {
    deliver(parse(upsertObjectSchema, entries.slice(-count)), parse(turnSummarySchema, turns.slice(-count)));
    const rest = { entries: entries.slice(0, -count), turns: turns.slice(0, -count) };
    const isDone = rest.entries.length === 0 && rest.turns.length === 0;
    stop = isDone ? undefined : env.after(0, () => take(rest, NEXT_BATCH, conversation.prepend));
  }

  return (history: RawHistory): void => {
    stop?.();
    // Rows that are already on the screen must not disappear and come back.
    const count = conversation.isEmpty() ? FIRST_BATCH : Math.max(history.entries.length, history.turns.length, 1);
    take(history, count, conversation.replace);
  };
}
