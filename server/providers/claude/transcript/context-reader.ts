import { open, stat } from 'node:fs/promises';
import type { KnownContext } from '../../../engine/native-sessions.ts';
import { doInSlices } from '../../../time-slice.ts';
import { unreadable } from './history.ts';
import { type ContextOptions, describeContext } from './known-context.ts';
import { withoutContent } from './slim-entry.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import { readEntries } from './transcript-lines.ts';

/** What is known of a transcript, so that only what was added to it has to be read. */
interface Read {
  readonly inode: number;
  /** Where the first line begins that may not be whole. */
  end: number;
  /** The bytes before it, which a rewritten file would not have. */
  mark: string;
  readonly entries: TranscriptEntry[];
}

/** What was worked out last, for as long as nothing changes. */
interface Answer {
  readonly stamp: string;
  readonly known: KnownContext;
}

const MAX_READ = 8;
const MAX_ANSWERS = 1_000;
const MARK = 256;

export interface ContextReader {
  /** Works out the context from a transcript. Never rejects. */
  read(path: string, options: ContextOptions): Promise<KnownContext>;
}

export function createContextReader(): ContextReader {
  /** By path, the one that was used last at the end. */
  const known = new Map<string, Read>();
  const answers = new Map<string, Answer>();
  /** Reads of a transcript come one after the other. */
  const reading = new Map<string, Promise<unknown>>();

  async function readOn(path: string): Promise<readonly TranscriptEntry[]> {
    const { ino, size } = await stat(path);
    const before = known.get(path);
    const isSame = before?.inode === ino && before.end <= size && (await readMark(path, before.end)) === before.mark;
    const read = isSame ? before : { inode: ino, end: 0, mark: '', entries: [] };
    known.delete(path);
    let torn: TranscriptEntry | undefined;
    read.end = await readEntries(
      path,
      (entry, { isWhole }) => {
        if (isWhole) read.entries.push(withoutContent(entry));
        else torn = entry;
      },
      read.end,
    );
    read.mark = await readMark(path, read.end);
    known.set(path, read);
    for (const oldest of [...known.keys()].slice(0, -MAX_READ)) known.delete(oldest);
    return torn === undefined ? read.entries : [...read.entries, torn];
  }

  async function answer(path: string, options: ContextOptions): Promise<KnownContext> {
    const { size, mtimeNs, ino, birthtimeMs, birthtime } = await stat(path, { bigint: true });
    const stamp = `${size} ${mtimeNs} ${ino} ${options.resumes}`;
    const last = answers.get(path);
    if (last?.stamp === stamp) return last.known;
    // Some file systems do not know it.
    const begunAt = birthtimeMs > 0n ? birthtime.toISOString() : undefined;
    const known = await doInSlices(describeContext(await readOn(path), { ...options, begunAt }));
    answers.delete(path);
    answers.set(path, { stamp, known });
    for (const oldest of [...answers.keys()].slice(0, -MAX_ANSWERS)) answers.delete(oldest);
    return known;
  }

  return {
    async read(path, options) {
      const queued = (reading.get(path) ?? Promise.resolve()).then(() => answer(path, options));
      const settled = queued.catch(() => {});
      reading.set(path, settled);
      try {
        return await queued;
      } catch (error) {
        known.delete(path);
        answers.delete(path);
        return { context: { state: 'unknown', reason: unreadable(path, error).message }, branches: [] };
      } finally {
        if (reading.get(path) === settled) reading.delete(path);
      }
    },
  };
}

async function readMark(path: string, end: number): Promise<string> {
  const length = Math.min(MARK, end);
  if (length === 0) return '';
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, end - length);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
