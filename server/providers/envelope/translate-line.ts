import { z } from 'zod';
import { describeProblems } from '../../../shared/parse.ts';
import { streamEventEnvelopeSchema } from '../../../shared/stream-events.ts';
import { translateEnvelope } from '../../streaming/envelope-translation.ts';
import type { StreamAction } from '../../streaming/stream-actions.ts';

/** What binds an event to a turn and an item. Laxer than the schema of the events, which has the last word. */
const bindingSchema = z.looseObject({
  turnId: z.string(),
  payload: z.looseObject({ itemId: z.string().optional() }),
});

export interface TranslatedLine {
  readonly actions: readonly StreamAction[];
  readonly at?: string;
  /** What is wrong with the line, for the user. */
  readonly problem?: string;
}

export interface LineTranslationOptions {
  readonly label: string;
  readonly knownTurns: ReadonlySet<string>;
}

/** Translates one line that the agent printed. A line that does not fit changes nothing. */
export function createLineTranslation({ label, knownTurns }: LineTranslationOptions) {
  const ignored = (problem: string): TranslatedLine => ({ actions: [], problem: `${label} printed ${problem}` });

  return (line: string): TranslatedLine => {
    const value = parseJson(line);
    if (value === undefined) return ignored(`a line that is not JSON. Ignored: ${line.slice(0, 120)}`);
    const scoped = scopeItem(value);
    const turnId = bindingSchema.safeParse(value).data?.turnId;
    if (turnId !== undefined && !knownTurns.has(turnId)) {
      return ignored(`an event of an unknown turn. Ignored: ${turnId.slice(0, 120)}`);
    }
    const event = streamEventEnvelopeSchema.safeParse(scoped);
    if (!event.success) return ignored(`an event that is not valid. Ignored: ${describeProblems(event.error)}`);
    return { actions: translateEnvelope(event.data), at: event.data.timestamp };
  };
}

/**
 * An agent's item ids need to be unique within a turn only: they get the turn's id in front, so that none can be
 * mistaken for the user's own message or one of our notices.
 */
function scopeItem(value: unknown): unknown {
  const { data } = bindingSchema.safeParse(value);
  if (data?.payload.itemId === undefined) return value;
  const { turnId, payload } = data;
  return { ...data, payload: { ...payload, itemId: `${turnId}:agent:${payload.itemId}` } };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) ?? null;
  } catch {
    return undefined;
  }
}
