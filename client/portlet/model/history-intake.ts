import type { z } from 'zod';
import { turnSummarySchema, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import type { Environment } from '../base/environment.ts';
import type { Conversation } from './conversation.ts';

export interface HistoryIntakeOptions {
  readonly conversation: Pick<Conversation, 'replace' | 'prepend' | 'isEmpty'>;
  readonly env: Pick<Environment, 'after'>;
  /** Called with the number of entries of the conversation that were skipped because they do not match the schema. */
  readonly onInvalid: (count: number) => void;
}

/** An unparsed part of a conversation, oldest first. */
export interface RawHistory {
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

/** Parses histories and pages of them. The newest part comes first, and the rest follows in batches after the paint. */
export interface HistoryIntake {
  /** Takes a snapshot. `hasOlder`: the conversation has entries before it. */
  replace(history: RawHistory, hasOlder: boolean): void;
  /** Takes an older page. */
  prepend(page: RawHistory): void;
  /** A part of what was taken is not in the conversation yet. */
  isBusy(): boolean;
  /** Puts that part into the conversation now. */
  finish(): void;
}

export function createHistoryIntake({ conversation, env, onInvalid }: HistoryIntakeOptions): HistoryIntake {
  let rest: { readonly history: RawHistory; readonly cancel: () => void } | undefined;
  let invalid = 0;

  function parse<T>(schema: z.ZodType<T>, values: readonly unknown[]): T[] {
    const valid: T[] = [];
    for (const value of values) {
      const result = schema.safeParse(value);
      if (result.success) valid.push(result.data);
    }
    if (valid.length < values.length) {
      invalid += values.length - valid.length;
      onInvalid(invalid);
    }
    return valid;
  }

  /** Parses the newest `count` entries and turns, delivers them and schedules the rest. */
  function take({ entries, turns }: RawHistory, count: number, deliver: Conversation['prepend']): void {
    const history = { entries: entries.slice(0, -count), turns: turns.slice(0, -count) };
    const isDone = history.entries.length === 0 && history.turns.length === 0;
    rest = isDone ? undefined : { history, cancel: env.after(0, () => prepend(history)) };
    deliver(parse(upsertObjectSchema, entries.slice(-count)), parse(turnSummarySchema, turns.slice(-count)));
  }

  function prepend(page: RawHistory, count = NEXT_BATCH): void {
    take(page, count, conversation.prepend);
  }

  const sizeOf = ({ entries, turns }: RawHistory): number => Math.max(entries.length, turns.length, 1);

  return {
    replace(history, hasOlder) {
      rest?.cancel();
      invalid = 0;
      // Rows that are already on the screen must not disappear and come back.
      const count = conversation.isEmpty() ? FIRST_BATCH : sizeOf(history);
      take(history, count, (entries, turns) => conversation.replace(entries, turns, hasOlder));
    },
    prepend,
    isBusy: () => rest !== undefined,
    finish() {
      if (rest === undefined) return;
      const { history, cancel } = rest;
      cancel();
      prepend(history, sizeOf(history));
    },
  };
}
