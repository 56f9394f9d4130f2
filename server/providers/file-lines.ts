import type { FileEnds } from '../engine/native-listing.ts';

/** How much of an end is read, one after the other, until what is looked for was found. */
const STEPS = [8, 64, 512, 2_048].map((kilobytes) => kilobytes * 1_024);

export interface Part {
  /** Whole lines, in order; at the end of the file also one without a line break. */
  readonly lines: readonly string[];
  /** The beginning of the line after them, if it is too long for the part. */
  readonly torn: string;
  /** There is no more to read. */
  readonly isAll: boolean;
}

/** Reads on from the beginning until `use` returns something or 2 MB were read. */
export function searchHead<T>(file: FileEnds, use: (part: Part) => T | undefined, least = STEPS[0]): T | undefined {
  return search(
    least,
    (bytes) => {
      const isAll = bytes >= file.size;
      const lines = file.head(bytes).toString('utf8').split('\n');
      const torn = isAll ? '' : (lines.pop() ?? '');
      return { lines, torn, isAll: isAll || bytes === STEPS.at(-1) };
    },
    use,
  );
}

/** Reads back from the end. */
export function searchTail<T>(file: FileEnds, use: (part: Part) => T | undefined): T | undefined {
  return search(
    STEPS[0],
    (bytes) => {
      const isAll = bytes >= file.size;
      const lines = file.tail(bytes).toString('utf8').split('\n');
      if (!isAll) lines.shift();
      return { lines, torn: '', isAll: isAll || bytes === STEPS.at(-1) };
    },
    use,
  );
}

function search<T>(
  least: number | undefined,
  read: (bytes: number) => Part,
  use: (part: Part) => T | undefined,
): T | undefined {
  for (const bytes of STEPS) {
    if (bytes < (least ?? 0)) continue;
    const part = read(bytes);
    const found = use(part);
    if (found !== undefined || part.isAll) return found;
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
