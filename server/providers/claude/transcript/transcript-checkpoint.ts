import type { Steps } from '../../../time-slice.ts';
import { isBoundary, isLinked } from './entry-kinds.ts';
import type { TranscriptEntry } from './transcript-entry.ts';

/** What a transcript says about where to go on, read line by line as Claude Code does. */
export interface Checkpoint {
  /** The entry that the last checkpoint names. A compaction makes those before it void. */
  readonly leafUuid: string | undefined;
  /** Whether any checkpoint names something. */
  readonly hasNamed: boolean;
  /** Somebody chose it, and nothing came after it. */
  readonly isChosen: boolean;
  readonly wasChosen: boolean;
  /** Somebody went back to before the first message. */
  readonly isCleared: boolean;
  readonly wasRewound: boolean;
  /** What was written since somebody went back. */
  readonly sinceRewound: ReadonlySet<string>;
  /** The entry that was written last, also if it was written before. */
  readonly lastRow: string | undefined;
  /** That with the latest time. */
  readonly newestRow: string | undefined;
  /** The file ends with a copy of files. */
  readonly hasTrailingSnapshot: boolean;
}

export function* readCheckpoint(all: readonly TranscriptEntry[]): Steps<Checkpoint> {
  let leafUuid: string | undefined;
  let lastRow: string | undefined;
  let newestRow: string | undefined;
  let newestAt = '';
  let hasNamed = false;
  let [isChosen, wasChosen, isCleared, wasRewound, hasTrailingSnapshot] = [false, false, false, false, false];
  let sinceRewound: Set<string> | undefined;
  const seen = new Set<string>();
  const forget = () => {
    leafUuid = undefined;
    isChosen = wasChosen = wasRewound = false;
  };
  for (const entry of all) {
    yield;
    if (entry.type === 'last-prompt') {
      const { explicit = false, rewound = false } = entry;
      hasNamed ||= entry.leafUuid !== undefined;
      if (entry.leafUuid) {
        const isSame = entry.leafUuid === leafUuid;
        isChosen = explicit || (isChosen && isSame);
        wasChosen = explicit || (wasChosen && isSame);
        wasRewound = rewound || (wasRewound && isSame);
        sinceRewound = rewound ? new Set() : undefined;
        leafUuid = entry.leafUuid;
        isCleared = false;
      } else if (entry.leafUuid === null && explicit) {
        forget();
        isCleared = true;
      }
    }
    if (!isLinked(entry) || entry.uuid === undefined) continue;
    if (isSnapshot(entry)) hasTrailingSnapshot = true;
    else if (entry.isSidechain !== true && !isBriefing(entry) && entry.type !== 'progress') {
      if (!seen.has(entry.uuid)) sinceRewound?.add(entry.uuid);
      lastRow = entry.uuid;
      if (entry.timestamp !== undefined && entry.timestamp > newestAt) {
        newestRow = entry.uuid;
        newestAt = entry.timestamp;
      }
      isChosen = isCleared = hasTrailingSnapshot = false;
    }
    seen.add(entry.uuid);
    if (isBoundary(entry)) forget();
  }
  return {
    leafUuid,
    hasNamed,
    isChosen,
    wasChosen,
    isCleared,
    wasRewound,
    sinceRewound: sinceRewound ?? new Set(),
    lastRow,
    newestRow,
    hasTrailingSnapshot,
  };
}

/** Copies of files that Claude Code may put back. */
const isSnapshot = (entry: TranscriptEntry) => entry.type === 'system' && entry.subtype === 'file_snapshot';

/** What a sub-agent that continues the conversation is told. */
const isBriefing = (entry: TranscriptEntry) =>
  entry.type === 'attachment' && entry.attachment?.type === 'fork_briefing';
