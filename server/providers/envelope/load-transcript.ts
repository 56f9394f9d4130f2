import type { SessionId } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

export interface LoadedTranscript {
  readonly transcript: Transcript;
  readonly history: readonly UpsertObject[];
  /** The place of the next item. */
  readonly nextOrder: number;
}

/** Undefined when there is no such transcript. What cannot be read in it is left out, and said at its end. `unsaved` is what could not be written. */
export async function loadTranscript(
  transcript: Transcript,
  sessionId: SessionId,
  unsaved: readonly TranscriptEntry[] = [],
): Promise<LoadedTranscript | undefined> {
  const contents = await transcript.read();
  if (contents === undefined) return undefined;
  const { unreadableLines } = contents;
  const saved = new Set(contents.entries.map(({ item }) => item.itemId));
  const missed = unsaved.filter(({ item }) => !saved.has(item.itemId));
  const entries = [...contents.entries, ...missed].sort((a, b) => a.order - b.order);
  const last = entries.at(-1);
  const history = entries.map(({ item }) => ({ ...item, sessionId }));
  if (unreadableLines > 0) history.push(missing(unreadableLines, sessionId, last));
  return { transcript, history, nextOrder: (last?.order ?? -1) + 1 };
}

function missing(lines: number, sessionId: SessionId, last: TranscriptEntry | undefined): UpsertObject {
  const turnId = last?.item.turnId ?? 'transcript';
  const at = last?.item.sourceTimestamp ?? new Date(0).toISOString();
  return {
    type: 'message',
    turnId,
    sessionId,
    itemId: `${turnId}:unreadable`,
    sourceTimestamp: at,
    emittedAt: at,
    status: 'complete',
    origin: 'system',
    content: `${lines} ${lines === 1 ? 'entry' : 'entries'} of this conversation could not be read and ${lines === 1 ? 'is' : 'are'} missing here.`,
  };
}
