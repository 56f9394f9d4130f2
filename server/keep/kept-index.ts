import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { cliTypeSchema, nativeIdSchema } from '../../shared/ids.ts';

/**
 * The index of the copy of one conversation: a text file with one JSON object a line, only ever appended to. Together with
 * the numbered files beside it (`0.gz`, `1.gz` …, each a sequence of gzip members) it says everything about the copy.
 * - `kept`: the first line.
 * - `file`: a numbered file is begun for a file of the agent. A later one with the same name replaces an earlier one,
 *   whose content stays.
 * - `chunk`: bytes `offset` to `offset + length` of that file are the gzip member at `at`, `size` bytes long.
 * - `name`: the agent has moved the file.
 * - `sealed`: something before is damaged. Files that were begun before are not continued.
 *
 * Every line ends with `check`: the beginning of the SHA-256 of the line without it.
 */
export const INDEX_VERSION = 1;
export const INDEX_NAME = 'index.jsonl';

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const whole = z.string().regex(/^-?\d{1,20}$/);
const nameSchema = z.string().refine(isSafeName, 'expected a relative path without ..');

/** What a file of the agent was when it was copied: as long as it is the same, there is nothing to copy. */
const sourceSchema = z.object({ size: count, mtimeNs: whole, ino: whole });
export type Source = z.infer<typeof sourceSchema>;

const headerSchema = z.object({
  kind: z.literal('kept'),
  version: z.number().int().positive(),
  cliType: cliTypeSchema,
  nativeId: nativeIdSchema,
  since: z.string(),
});

const chunkSchema = z.object({
  kind: z.literal('chunk'),
  file: count,
  offset: count,
  length: count,
  at: count,
  size: count,
  /** Of the content. */
  sha256,
  /** Of the last 64 KiB of the file up to here. */
  tail: sha256,
  source: sourceSchema,
});
export type Chunk = z.infer<typeof chunkSchema>;

const recordSchema = z.discriminatedUnion('kind', [
  headerSchema,
  z.object({ kind: z.literal('file'), file: count, name: nameSchema }),
  chunkSchema,
  z.object({ kind: z.literal('name'), file: count, name: nameSchema }),
  z.object({ kind: z.literal('sealed') }),
]);
export type IndexRecord = z.infer<typeof recordSchema>;

/** The copy of one file. */
export interface KeptFile {
  readonly file: number;
  readonly name: string;
  /** How many bytes of the agent's file are copied. */
  readonly length: number;
  /** How long the numbered file is. What follows in it is not part of the copy. */
  readonly dataSize: number;
  /** As of the last chunk. Undefined if there is none. */
  readonly last: Pick<Chunk, 'source' | 'tail'> | undefined;
  readonly isSealed: boolean;
}

export interface KeptIndex {
  /** By number, in the order in which they were begun. */
  readonly files: ReadonlyMap<number, KeptFile>;
  /** How long the index is up to its last whole line. What follows is torn. */
  readonly length: number;
  /** A line that is not the last one is invalid or does not continue what is before it. */
  readonly isDamaged: boolean;
  /** There was such a line at some time. */
  readonly wasDamaged: boolean;
  /** Adds records that were appended to the file. */
  add(records: readonly IndexRecord[]): void;
}

/** Written by a newer version: neither read nor continued. */
export class NewerIndexError extends AppError {
  override readonly name = 'NewerIndexError';

  constructor() {
    super('SERVER_NEWER_DATA');
  }
}

export const toLines = (records: readonly IndexRecord[]): string =>
  records.map((record) => `${withCheck(JSON.stringify(record))}\n`).join('');

const CHECKED_LINE = /^(\{.*),"check":"([0-9a-f]{16})"\}$/;
const checkOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const withCheck = (text: string) => `${text.slice(0, -1)},"check":"${checkOf(text)}"}`;

/** Skips what is invalid. `onChunk` is called for the chunks that belong to the copy. Throws a NewerIndexError. */
export function parseIndex(content: Buffer, onChunk: (chunk: Chunk) => void = () => {}): KeptIndex {
  const files = new Map<number, KeptFile>();
  let length = content.lastIndexOf(0x0a) + 1;
  let isDamaged = false;
  let wasDamaged = false;

  /** False for a record that does not fit. */
  function apply(record: IndexRecord): boolean {
    switch (record.kind) {
      case 'kept':
        if (record.version > INDEX_VERSION) throw new NewerIndexError();
        return true;
      case 'file': {
        const { file, name } = record;
        if (files.has(file)) return false;
        files.set(file, { file, name, length: 0, dataSize: 0, last: undefined, isSealed: false });
        return true;
      }
      case 'chunk': {
        const { file, offset, at, source, tail } = record;
        const known = files.get(file);
        if (known === undefined || known.isSealed || known.length !== offset || known.dataSize !== at) return false;
        const grown = { length: offset + record.length, dataSize: at + record.size, last: { source, tail } };
        files.set(file, { ...known, ...grown });
        onChunk(record);
        return true;
      }
      case 'name': {
        const known = files.get(record.file);
        if (known !== undefined) files.set(record.file, { ...known, name: record.name });
        return known !== undefined;
      }
      case 'sealed':
        for (const [number, file] of files) files.set(number, { ...file, isSealed: true });
        isDamaged = false;
        wasDamaged = true;
        return true;
      default:
        return record satisfies never;
    }
  }

  for (const line of content.toString('utf8', 0, length).split('\n').slice(0, -1)) {
    const record = parseRecord(line);
    if (record !== undefined && apply(record)) continue;
    isDamaged = true;
    wasDamaged = true;
  }

  return {
    files,
    get length() {
      return length;
    },
    get isDamaged() {
      return isDamaged;
    },
    get wasDamaged() {
      return wasDamaged;
    },
    add(records) {
      length += Buffer.byteLength(toLines(records));
      for (const record of records) apply(record);
    },
  };
}

/** The newest copy of each file that has one, in the order in which they were begun. */
export function currentFiles({ files }: KeptIndex): readonly KeptFile[] {
  const byName = new Map<string, KeptFile>();
  for (const file of files.values()) if (file.last !== undefined) byName.set(file.name, file);
  return [...byName.values()];
}

/** All of the file was copied, as it was at the last look. */
export function isWhole({ last, length }: KeptFile): boolean {
  return last?.source.size === length;
}

function parseRecord(line: string): IndexRecord | undefined {
  const [, start, check] = CHECKED_LINE.exec(line) ?? [];
  if (start === undefined || checkOf(`${start}}`) !== check) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** A path below a directory, with `/`: it cannot lead out of it. */
export function isSafeName(name: string): boolean {
  if (name.length === 0 || name.length > 1_024 || /[\0\\]|^[A-Za-z]:/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
