import { stat } from 'node:fs/promises';
import { createKeyedQueue } from '../../../keyed-queue.ts';
import { createFileProgress } from './file-progress.ts';
import type { Lineage, Segment } from './lineage.ts';
import { createTurnIndex, type TurnIndex, type TurnStart } from './turn-index.ts';

/** The newest turns: where they are and what came before. */
export interface NewestTurns {
  /** From the first of them on, oldest first. */
  readonly segments: readonly (Segment & { readonly start: number })[];
  readonly first: TurnStart;
  /** How many turns come before. */
  readonly turnsBefore: number;
  /** The time of the turn before. */
  readonly timeBefore: string | undefined;
  /** The sub-agents that were heard of before. */
  readonly subagentsBefore: readonly string[];
}

/** Undefined if the turns cannot be told without reading everything. */
export type FindNewestTurns = (lineage: Lineage) => Promise<NewestTurns | undefined>;

const MAX_TURNS = 20;
const MAX_BYTES = 1024 * 1024;

/** Remembers where the turns are, and reads what was appended since. */
export function createNewestTurns(): FindNewestTurns {
  const progress = createFileProgress<TurnIndex>();
  const inOrder = createKeyedQueue();

  return async ({ segments, isBroken }) => {
    if (isBroken) return undefined;
    const path = segments.at(-1)?.path ?? '';
    const index = await inOrder(path, () =>
      progress(
        segments,
        createTurnIndex,
        (known, line, segment) => known.add(line, segment),
        (known) => known.mayMatter,
      ),
    );
    const turns = index.turns() ?? [];
    const place = await choose(turns, segments);
    const first = turns[place];
    if (first === undefined) return undefined;
    const from = segments.findIndex((segment) => segment.path === first.path);
    return {
      segments: segments.slice(from).map((segment, at) => ({ ...segment, start: at === 0 ? first.offset : 0 })),
      first,
      turnsBefore: place + (index.hasPrologue() ? 1 : 0),
      timeBefore: turns[place - 1]?.time,
      subagentsBefore: index.subagentsBefore(place),
    };
  };
}

/** The first turn of those that are read: the last one, and as many before it as do not take long. */
async function choose(turns: readonly TurnStart[], segments: readonly Segment[]): Promise<number> {
  /** How many bytes come after the end of each file. */
  const after = new Map<string, { readonly size: number; readonly later: number }>();
  let later = 0;
  for (const { path, end } of segments.toReversed()) {
    const size = end ?? (await stat(path)).size;
    after.set(path, { size, later });
    later += size;
  }
  const bytesFrom = ({ path, offset }: TurnStart) => {
    const file = after.get(path);
    return file === undefined ? 0 : file.size - offset + file.later;
  };
  let place = turns.length - 1;
  while (place > 0 && turns.length - place < MAX_TURNS) {
    const before = turns[place - 1];
    if (before === undefined || bytesFrom(before) > MAX_BYTES) break;
    place -= 1;
  }
  return place;
}
