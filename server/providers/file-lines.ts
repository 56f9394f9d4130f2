import type { FileEnds } from '../engine/native-listing.ts';

/** How much of an end is read, one after the other, until what is looked for was found. */
const STEPS = [8, 32, 64, 512, 2_048].map((kilobytes) => kilobytes * 1_024);

export interface Part {
  readonly bytes: Buffer;
  /** Whole lines, in order; at the end of the file also one without a line break. */
  lines(): readonly string[];
  /** The beginning of the line after them, if it is too long for the part. */
  torn(): string;
  /** There is no more to read. */
  readonly isAll: boolean;
}

/** Reads on from the beginning until `use` returns something or 2 MB were read. */
export function searchHead<T>(file: FileEnds, use: (part: Part) => T | undefined, least = 0): T | undefined {
  return search(file, least, use, (bytes) => {
    const read = file.head(bytes);
    const end = bytes >= file.size ? read.length : read.lastIndexOf(LINE_BREAK) + 1;
    return {
      bytes: read.subarray(0, end),
      lines: () => toLines(read.subarray(0, end)),
      torn: () => read.toString('utf8', end),
    };
  });
}

/** Reads back from the end. */
export function searchTail<T>(file: FileEnds, use: (part: Part) => T | undefined, least = 0): T | undefined {
  return search(file, least, use, (bytes) => {
    const read = file.tail(bytes);
    const whole = bytes >= file.size ? read : read.subarray(read.indexOf(LINE_BREAK) + 1);
    return { bytes: whole, lines: () => toLines(whole), torn: () => '' };
  });
}

const LINE_BREAK = 10;

function toLines(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n');
}

/** From the last line on. */
export function* linesFromEnd(bytes: Buffer): Generator<string, void, undefined> {
  for (let end = bytes.length; end > 0; ) {
    const start = end === 1 ? 0 : bytes.lastIndexOf(LINE_BREAK, end - 2) + 1;
    yield bytes.toString('utf8', start, end);
    end = start;
  }
}

/** The lines in which one of the words stands, without decoding the others. */
export function* linesWith(bytes: Buffer, words: readonly string[]): Generator<string, void, undefined> {
  let from = 0;
  while (from < bytes.length) {
    const places = words.map((word) => bytes.indexOf(word, from)).filter((place) => place !== -1);
    if (places.length === 0) return;
    const at = Math.min(...places);
    const start = bytes.lastIndexOf(LINE_BREAK, at) + 1;
    const found = bytes.indexOf(LINE_BREAK, at);
    from = found === -1 ? bytes.length : found + 1;
    yield bytes.toString('utf8', start, from);
  }
}

function search<T>(
  { size }: FileEnds,
  least: number,
  use: (part: Part) => T | undefined,
  read: (bytes: number) => Omit<Part, 'isAll'>,
): T | undefined {
  for (const bytes of STEPS) {
    if (bytes < least) continue;
    const isAll = bytes >= size || bytes === STEPS.at(-1);
    const found = use({ ...read(bytes), isAll });
    if (found !== undefined || isAll) return found;
  }
  return undefined;
}

const STRING = /^(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/u;

/** The beginning of a JSON string, however long it is. `text` starts after its quote. */
export function stringBeginning(text: string, length: number): string {
  const [raw = ''] = STRING.exec(text.slice(0, length)) ?? [];
  return JSON.parse(`"${raw}"`) as string;
}

export function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
