import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import type { ConversationPart } from './conversation.ts';

/** What a file says about a turn, in one line. */
function describeTurn(turn: TurnSummary): string {
  const { usage, modelId, errorCode, errorMessage } = turn;
  const facts = [STATUS[turn.status], `began ${turn.startedAt}`];
  if (turn.endedAt !== undefined) facts.push(`ended ${turn.endedAt}`, durationOf(turn.startedAt, turn.endedAt));
  if (modelId !== undefined) facts.push(modelId);
  if (usage !== undefined) facts.push(`${usage.inputTokens} tokens in, ${usage.outputTokens} out`);
  if (turn.receipt === 'uncertain') facts.push('not certain whether the model got the message');
  const why = [errorCode, errorMessage].filter(Boolean).join(': ');
  return why === '' ? facts.join(' · ') : `${facts.join(' · ')} · ${why}`;
}

const STATUS: Readonly<Record<TurnSummary['status'], string>> = {
  running: 'Running',
  completed: 'Completed',
  cancelled: 'Cancelled',
  error: 'Failed',
};

function durationOf(from: string, to: string): string {
  return `${Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
}

/** How a format writes what a conversation consists of. */
export interface ConversationText {
  entry(entry: UpsertObject): string;
  /** The end of a turn, described in one line. */
  turn(description: string): string;
}

/** Writes entries in order, and each turn once: after its entries, or at the end if it has none. */
export async function* writeTurns(
  parts: AsyncIterable<ConversationPart>,
  text: ConversationText,
): AsyncGenerator<string> {
  const ends = createTurnEnds();
  for await (const { entries, turns } of parts) {
    ends.add(turns);
    for (const entry of entries) {
      const ended = ends.before(entry.turnId);
      if (ended !== undefined) yield text.turn(describeTurn(ended));
      yield text.entry(entry);
    }
  }
  for (const turn of ends.rest()) yield text.turn(describeTurn(turn));
}

/**
 * Cuts the entries of a conversation into turns. Returns the turns that end before the entry: those whose entries have
 * come, each once.
 */
interface TurnEnds {
  /** The turn that ended before this entry, if the entry begins another one. */
  before(turnId: string): TurnSummary | undefined;
  add(turns: readonly TurnSummary[]): void;
  /** At the end: the last turn, and those without entries. */
  rest(): TurnSummary[];
}

function createTurnEnds(): TurnEnds {
  const waiting = new Map<string, TurnSummary>();
  const told = new Set<string>();
  let current: string | undefined;

  function take(turnId: string | undefined): TurnSummary | undefined {
    const turn = turnId === undefined ? undefined : waiting.get(turnId);
    if (turn === undefined) return undefined;
    waiting.delete(turn.turnId);
    told.add(turn.turnId);
    return turn;
  }

  return {
    add(turns) {
      for (const turn of turns) if (!told.has(turn.turnId)) waiting.set(turn.turnId, turn);
    },
    before(turnId) {
      if (turnId === current) return undefined;
      const ended = take(current);
      current = turnId;
      return ended;
    },
    rest: () => [take(current), ...waiting.values()].filter((turn) => turn !== undefined),
  };
}
