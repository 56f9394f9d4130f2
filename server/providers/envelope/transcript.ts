import { closeSync, fstatSync, ftruncateSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { SessionId } from '../../../shared/ids.ts';
import { type UpsertObject, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import { describeOutOfFiles, isOutOfFiles } from '../../open-files.ts';
import { makePrivateDirectory, openPrivateSync, readPrivate, UnsafeFileError } from '../../private-files.ts';
import { frozenCopy } from '../../streaming/frozen-copy.ts';
import { collectHistory } from '../../streaming/history.ts';
import type { StreamAction } from '../../streaming/stream-actions.ts';

/** `order` is the place of the item in the conversation: items end in another order than they begin. */
const entrySchema = z.object({ order: z.number().int().nonnegative().max(1e12), item: upsertObjectSchema });
export type TranscriptEntry = z.infer<typeof entrySchema>;

export interface TranscriptContents {
  /** In the order of the conversation, one for each item. */
  readonly entries: readonly TranscriptEntry[];
  readonly unreadableLines: number;
}

/** The finished items of one session, one JSON object a line, only ever appended to. */
export interface Transcript {
  readonly path: string;
  /**
   * Throws where it cannot be written, and then nothing of it is there. What was appended survives the end of this
   * process.
   */
  append(entry: TranscriptEntry): void;
  /** Undefined when there is no such file. Rejects with a ProviderError where it cannot be read. */
  read(): Promise<TranscriptContents | undefined>;
}

export function openTranscript(path: string): Transcript {
  return {
    path,
    append: (entry) => appendWhole(path, `${JSON.stringify(entry)}\n`),
    async read() {
      const bytes = await readPrivate(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        const reason = error instanceof UnsafeFileError ? error.message : error.code;
        throw new ProviderError(
          'SESSION_NOT_FOUND',
          `The transcript ${path} cannot be read (${reason}). Check its permissions, then open the session again.`,
          { cause: error },
        );
      });
      if (bytes === undefined) return undefined;
      const text = bytes.toString('utf8');
      // A line cut off by the end of a former process must not swallow the next one.
      if (text !== '' && !text.endsWith('\n')) appendWhole(path, '\n');
      return parseTranscript(text);
    },
  };
}

/**
 * Makes an empty transcript, so that a session without a message can be told from one that is gone. Throws a
 * ProviderError where it cannot be written.
 */
export function createTranscript(path: string): Transcript {
  try {
    // One after the other, so that none of them is a link.
    for (const directory of [dirname(dirname(path)), dirname(path)]) makePrivateDirectory(directory);
    closeSync(openPrivateSync(path, 'create'));
  } catch (error) {
    if (isOutOfFiles(error)) throw new ProviderError('TOO_MANY_OPEN_FILES', describeOutOfFiles(), { cause: error });
    throw new ProviderError(
      'SESSION_CREATE_FAILED',
      `The transcript ${path} cannot be written. Check free space and permissions of the data directory.`,
      { cause: error },
    );
  }
  return openTranscript(path);
}

/** A full disk takes the beginning of a line and refuses the rest; such a beginning would spoil the next line. */
function appendWhole(path: string, line: string): void {
  const file = openPrivateSync(path, 'append');
  try {
    const { size } = fstatSync(file);
    try {
      writeFileSync(file, line);
    } catch (error) {
      ftruncateSync(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

export function removeTranscript(path: string): void {
  rmSync(path, { force: true });
}

function parseTranscript(text: string): TranscriptContents {
  const entries = new Map<string, TranscriptEntry>();
  let unreadableLines = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const entry = parseEntry(line);
    if (entry === undefined) unreadableLines += 1;
    else entries.set(entry.item.itemId, entry);
  }
  return { entries: [...entries.values()].sort((a, b) => a.order - b.order), unreadableLines };
}

function parseEntry(line: string): TranscriptEntry | undefined {
  try {
    const { data } = entrySchema.safeParse(JSON.parse(line));
    if (data?.item.type !== 'tool_call') return data;
    return { ...data, item: { ...data.item, toolArguments: frozenCopy(data.item.toolArguments) } };
  } catch {
    return undefined;
  }
}

export interface LoadedTranscript {
  readonly history: readonly UpsertObject[];
  /** The place of the next item. */
  readonly nextOrder: number;
}

/**
 * Undefined when there is no such transcript. Lines that cannot be read are left out, and a notice at the end says so.
 * `unsaved` is what could not be written.
 */
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
  if (unreadableLines > 0) history.push(...missingNotice(unreadableLines, sessionId, last));
  return { history, nextOrder: (last?.order ?? -1) + 1 };
}

function missingNotice(lines: number, sessionId: SessionId, last: TranscriptEntry | undefined): UpsertObject[] {
  const turnId = last?.item.turnId ?? 'transcript';
  const sourceTimestamp = last?.item.sourceTimestamp ?? new Date(0).toISOString();
  const content =
    lines === 1
      ? '1 entry of this conversation could not be read and is missing here.'
      : `${lines} entries of this conversation could not be read and are missing here.`;
  const action: StreamAction = { do: 'message', turnId, itemId: `${turnId}:unreadable`, origin: 'system', content };
  return collectHistory([{ action, sourceTimestamp }], { sessionId, providerId: '', now: () => sourceTimestamp });
}
