import { open } from 'node:fs/promises';
import type { Segment } from './lineage.ts';
import { type MayMatter, type ScannedLine, scanLines } from './scan-lines.ts';

interface Progress<T> {
  readonly key: string;
  readonly ino: number;
  /** How much of the newest file was read. */
  readonly offset: number;
  /** What stands before that: a file that was written anew has something else there. */
  readonly before: string;
  readonly known: T;
}

type Collect<T> = (known: T, line: ScannedLine, segment: Segment) => void;

/** Reads the files of a conversation and goes on the next time where it ended, as long as they only grow. */
export type FileProgress<T> = (
  segments: readonly Segment[],
  begin: () => T,
  collect: Collect<T>,
  mayMatter?: (known: T) => MayMatter,
) => Promise<T>;

const REMEMBERED_BYTES = 256;
/** How many conversations are remembered. */
const REMEMBERED = 64;

export function createFileProgress<T>(): FileProgress<T> {
  const all = new Map<string, Progress<T>>();

  return async (segments, begin, collect, mayMatter) => {
    const newest = segments.at(-1);
    if (newest === undefined) return begin();
    const key = segments.map(({ path, end }) => `${path}\n${end}`).join('\n');
    const before = all.get(newest.path);
    all.delete(newest.path);
    const isSame = before?.key === key && (await isContinued(newest.path, before));
    const known = isSame ? before.known : begin();
    if (!isSame) {
      for (const segment of segments.slice(0, -1)) {
        await scanLines(
          segment.path,
          { start: 0, end: segment.end },
          (line) => collect(known, line, segment),
          mayMatter?.(known),
        );
      }
    }
    let last: ScannedLine | undefined;
    const offset = await scanLines(
      newest.path,
      { start: isSame ? before.offset : 0 },
      (line) => {
        last = line;
        collect(known, line, newest);
      },
      mayMatter?.(known),
    );
    // A line that is still being written has been collected too, so that the next time begins anew.
    const isTorn = last !== undefined && last.offset === offset;
    if (!isTorn) remember(newest.path, { key, ...(await mark(newest.path, offset)), offset, known });
    return known;
  };

  function remember(path: string, progress: Progress<T>): void {
    all.set(path, progress);
    for (const oldest of all.keys()) {
      if (all.size <= REMEMBERED) break;
      all.delete(oldest);
    }
  }
}

async function isContinued(path: string, { ino, offset, before }: Progress<unknown>): Promise<boolean> {
  const now = await mark(path, offset).catch(() => undefined);
  return now?.ino === ino && now.before === before;
}

async function mark(path: string, offset: number): Promise<{ readonly ino: number; readonly before: string }> {
  const file = await open(path);
  try {
    const { ino } = await file.stat();
    const length = Math.min(REMEMBERED_BYTES, offset);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset - length);
    return { ino, before: buffer.toString('latin1', 0, bytesRead) };
  } finally {
    await file.close();
  }
}
