import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const LF = 0x0a;
const CHUNK_BYTES = 512 * 1024;
const HEAD_BYTES = 320;
/** A longer line is not decoded: parsing it would block the server. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line of a file, without its LF. Valid only while it is handled. */
export interface ScannedLine {
  /** Where it begins in the file. */
  readonly offset: number;
  readonly length: number;
  /** Its first bytes as Latin 1: enough to see what it is. */
  readonly head: string;
  /** Undefined if it is too long. */
  text(): string | undefined;
}

export interface ScanRange {
  readonly start: number;
  /** The first byte that is not read. Default: the end of the file. */
  readonly end?: number | undefined;
}

/** A quick look at a line in a piece of the file: false if it need not be passed on. */
export type MayMatter = (bytes: Buffer, start: number, end: number) => boolean;

/**
 * Goes through the lines of a file without decoding them. Returns where the last line begins if it has no LF at its end,
 * else where the file ends. Such a line is passed on as well. Others get their turn after each piece.
 */
export async function scanLines(
  path: string,
  range: ScanRange,
  onLine: (line: ScannedLine) => void,
  mayMatter: MayMatter = () => true,
): Promise<number> {
  // Not blocking, because opening a named pipe would wait for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let begun: BegunLine | undefined;
    let position = range.start;
    for (;;) {
      const wanted = Math.min(CHUNK_BYTES, (range.end ?? Number.POSITIVE_INFINITY) - position);
      const { bytesRead } = wanted <= 0 ? { bytesRead: 0 } : await file.read(buffer, 0, wanted, position);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let at = 0;
      for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, at)) {
        if (begun !== undefined) onLine(toLine(extend(begun, chunk.subarray(at, lf))));
        else if (at < lf && mayMatter(chunk, at, lf)) {
          onLine(toLine({ offset: position + at, length: lf - at, pieces: [chunk.subarray(at, lf)] }));
        }
        begun = undefined;
        at = lf + 1;
      }
      if (at < bytesRead) {
        begun = extend(begun ?? { offset: position + at, length: 0, pieces: [] }, Buffer.from(chunk.subarray(at)));
      }
      position += bytesRead;
    }
    if (begun !== undefined) onLine(toLine(begun));
    return begun?.offset ?? position;
  } finally {
    await file.close();
  }
}

interface BegunLine {
  readonly offset: number;
  readonly length: number;
  readonly pieces: readonly Buffer[];
}

function extend({ offset, length, pieces }: BegunLine, piece: Buffer): BegunLine {
  const isTooLong = length + piece.length > MAX_LINE_BYTES;
  return { offset, length: length + piece.length, pieces: isTooLong ? pieces.slice(0, 1) : [...pieces, piece] };
}

function toLine({ offset, length, pieces }: BegunLine): ScannedLine {
  return {
    offset,
    length,
    head: pieces[0]?.toString('latin1', 0, HEAD_BYTES) ?? '',
    text: () => (length > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces).toString('utf8')),
  };
}
