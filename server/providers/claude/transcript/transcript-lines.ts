import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createTimeSlices } from '../../../time-slice.ts';
import { parseEntry, type TranscriptEntry } from './transcript-entry.ts';

const MAX_FILE = 2 ** 31;
const CHUNK = 1024 * 1024;
/** A longer line is not parsed, because that would keep the server from everything else. */
const MAX_LINE = 32 * 1024 * 1024;
/** The ends of a line that is not parsed say where it belongs. */
const END = 4 * 1024;

const NEWLINE = 0x0a;
/** Copies of requests. They only repeat what is in other lines. */
const COPY = '{"type":"api-request';
const PROMPT = '"attachment":{"type":"prompt_snapshot"';

interface Line {
  /** False for a last line without an end, which a process may be writing. */
  readonly isWhole: boolean;
  /** Undefined for a line that is too long. */
  readonly text: Buffer | undefined;
}

/**
 * Reads the entries from a position on and hands them out one by one. Only a line or two are kept in memory. Lines that
 * are not entries are skipped, such as the last line of a process that was killed while writing. Resolves to where the
 * first line without an end begins.
 */
export async function readEntries(
  path: string,
  onEntry: (entry: TranscriptEntry, line: Line) => unknown,
  from = 0,
): Promise<number> {
  const takeTurns = createTimeSlices();
  // Not blocking, because opening a named pipe would wait for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE) throw Object.assign(new Error('The file is too large.'), { code: 'ERR_FS_FILE_TOO_LARGE' });
    const line = createLine();
    let position = from;
    let begun = from;
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        line.add(chunk.subarray(start, end));
        start = end + 1;
        begun = position + start;
        const [entry, text] = line.take();
        if (entry !== undefined) await onEntry(entry, { isWhole: true, text });
        const others = takeTurns();
        if (others !== undefined) await others;
      }
      line.add(chunk.subarray(start));
      position += bytesRead;
    }
    const [entry, text] = line.take();
    if (entry !== undefined) await onEntry(entry, { isWhole: false, text });
    return begun;
  } finally {
    await file.close();
  }
}

/** A line that arrives in parts. */
function createLine() {
  let parts: Buffer[] = [];
  let length = 0;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);

  return {
    add(part: Buffer) {
      length += part.length;
      if (length <= MAX_LINE) {
        parts.push(part);
        return;
      }
      if (parts.length > 0) {
        const whole = Buffer.concat(parts);
        head = whole.subarray(0, END);
        tail = whole.subarray(-END);
        parts = [];
      }
      tail = Buffer.concat([tail, part]).subarray(-END);
    },
    take(): readonly [TranscriptEntry | undefined, Buffer | undefined] {
      const [only] = parts;
      const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
      const text = length > MAX_LINE ? undefined : whole;
      const entry =
        length > MAX_LINE
          ? describeLine(head, tail, { notShown: length })
          : length === 0
            ? undefined
            : parseLine(whole);
      parts = [];
      length = 0;
      return [entry, text];
    },
  };
}

export function parseLine(line: Buffer): TranscriptEntry | undefined {
  const head = line.toString('latin1', 0, 400);
  if (head.startsWith(COPY)) return undefined;
  if (head.includes(PROMPT)) {
    const entry = describeLine(line.subarray(0, END), line.subarray(-END), {});
    if (entry?.uuid !== undefined) return entry;
  }
  return parseEntry(line.toString('utf8'));
}

/** An entry without its content, from the fields around it. */
function describeLine(head: Buffer, tail: Buffer, more: { readonly notShown?: number }): TranscriptEntry | undefined {
  const before = head.toString('latin1');
  const after = tail.toString('latin1');
  const field = (text: string, name: string) => [...text.matchAll(new RegExp(`"${name}":"([^"\\\\]*)"`, 'g'))];
  const entry = {
    type: 'attachment',
    parentUuid: field(before, 'parentUuid')[0]?.[1],
    isSidechain: before.includes('"isSidechain":true'),
    uuid: (field(after, 'uuid').at(-1) ?? field(before, 'uuid')[0])?.[1],
    timestamp: (field(after, 'timestamp').at(-1) ?? field(before, 'timestamp')[0])?.[1],
    forkedFrom: { sessionId: /"forkedFrom":\{"sessionId":"([^"\\]*)"/.exec(after)?.[1] },
    ...more,
  };
  return parseEntry(JSON.stringify(entry));
}
