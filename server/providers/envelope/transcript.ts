import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import { ProviderError } from '../../engine/provider-errors.ts';

/** `order` is the place of the item in the conversation: items end in another order than they begin. */
const entrySchema = z.object({ order: z.number().int().nonnegative(), item: upsertObjectSchema });
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
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new ProviderError(
          'SESSION_NOT_FOUND',
          `The transcript ${path} cannot be read (${error.code}). Check its permissions, then open the session again.`,
          { cause: error },
        );
      });
      if (text === undefined) return undefined;
      // A line cut off by the end of a former process must not swallow the next one.
      if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
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
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
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
  const file = openSync(path, 'a', 0o600);
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
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
