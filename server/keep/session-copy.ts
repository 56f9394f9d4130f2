import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type KeptFiles, ShortFileError } from './kept-files.ts';
import {
  type Chunk,
  INDEX_NAME,
  INDEX_VERSION,
  type IndexRecord,
  type KeptFile,
  type KeptIndex,
  parseIndex,
  type Source,
  toLines,
} from './kept-index.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

export interface CopyId {
  readonly cliType: string;
  readonly nativeId: string;
}

/** The copy of one conversation, for its only writer. What a crash left unfinished is cut off by the next append. */
export interface SessionCopy {
  readonly id: CopyId;
  readonly directory: string;
  readonly index: KeptIndex;
  /** How many bytes it takes on disk. */
  bytes(): number;
  /** The copy of a file that can be continued. */
  find(name: string): KeptFile | undefined;
  /**
   * Appends to the copy of a file, or begins one if `before` is undefined. Resolves when the content is on disk and was
   * read back. If it rejects, the copy is as before.
   */
  append(name: string, before: KeptFile | undefined, piece: Piece): Promise<KeptFile>;
  /** Notes that the agent has moved a file. */
  rename(file: KeptFile, name: string): Promise<KeptFile>;
}

export interface Piece {
  readonly content: Buffer;
  /** The last 64 KiB of the file up to the end of the content. */
  readonly tail: Buffer;
  readonly source: Source;
}

export interface SessionCopyDeps {
  readonly files: KeptFiles;
  readonly now: () => string;
  /** Called before that many bytes are written. Throws if there is no room for them. */
  readonly reserve: (bytes: number) => void;
}

/** More than the records of one append take. */
const MAX_RECORDS_BYTES = 2_048;

export const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

export const dataPath = (directory: string, file: number): string => join(directory, `${file}.gz`);

/** Reads what there is, without changing it. Throws a NewerIndexError. */
export async function openSessionCopy(directory: string, id: CopyId, deps: SessionCopyDeps): Promise<SessionCopy> {
  const { files } = deps;
  const indexPath = join(directory, INDEX_NAME);
  const index = parseIndex((await files.read(indexPath)) ?? Buffer.alloc(0));

  async function appendToIndex(records: readonly IndexRecord[]): Promise<void> {
    await files.append(indexPath, index.length, Buffer.from(toLines(records)));
    index.add(records);
  }

  async function prepare(): Promise<void> {
    if (index.length === 0) {
      await files.makeDirectory(directory);
      await appendToIndex([{ kind: 'kept', version: INDEX_VERSION, ...id, since: deps.now() }]);
      await files.syncDirectory(directory);
      await files.syncDirectory(dirname(directory));
    }
    if (index.isDamaged) await appendToIndex([{ kind: 'sealed' }]);
  }

  /** Where the index was damaged, there may be files that it no longer names. */
  async function nextNumber(): Promise<number> {
    const onDisk = index.wasDamaged ? (await files.list(directory)).map((name) => Number.parseInt(name, 10)) : [];
    return Math.max(-1, ...index.files.keys(), ...onDisk.filter(Number.isInteger)) + 1;
  }

  async function append(name: string, before: KeptFile | undefined, piece: Piece): Promise<KeptFile> {
    const { content, tail, source } = piece;
    await prepare();
    const { file, length, dataSize } = before ?? { file: await nextNumber(), length: 0, dataSize: 0 };
    const data = await compress(content);
    const sha256 = hashOf(content);
    deps.reserve(data.length + MAX_RECORDS_BYTES);
    const path = dataPath(directory, file);
    await files.append(path, dataSize, data);
    if (before === undefined) await files.syncDirectory(directory);
    const place = { at: dataSize, size: data.length, length: content.length, sha256 };
    await readChunk(files, path, place);
    const chunk: Chunk = { kind: 'chunk', file, offset: length, ...place, tail: hashOf(tail), source };
    await appendToIndex([...(before === undefined ? [{ kind: 'file', file, name } as const] : []), chunk]);
    return fileOf(file);
  }

  function fileOf(number: number): KeptFile {
    const file = index.files.get(number);
    if (file === undefined) throw new Error(`There is no copy ${number} in ${directory}.`);
    return file;
  }

  return {
    id,
    directory,
    index,
    bytes: () => [...index.files.values()].reduce((sum, { dataSize }) => sum + dataSize, index.length),
    find(name) {
      if (index.isDamaged) return undefined;
      return [...index.files.values()].findLast((file) => file.name === name && !file.isSealed);
    },
    async append(name, before, piece) {
      try {
        return await append(name, before, piece);
      } catch (error) {
        // Someone has cut it: what is left stays, and the file is copied anew.
        if (!(error instanceof ShortFileError) || before === undefined) throw error;
        await appendToIndex([{ kind: 'sealed' }]);
        throw error;
      }
    },
    async rename(file, name) {
      await prepare();
      await appendToIndex([{ kind: 'name', file: file.file, name }]);
      return fileOf(file.file);
    },
  };
}

/** Rejects if the content is not what it was when it was copied. */
export async function readChunk(
  files: KeptFiles,
  path: string,
  { at, size, length, sha256 }: Pick<Chunk, 'at' | 'size' | 'length' | 'sha256'>,
): Promise<Buffer> {
  const data = await files.readRange(path, at, size);
  const content = await expand(data, { maxOutputLength: Math.max(1, length) }).catch(() => undefined);
  if (content?.length !== length || hashOf(content) !== sha256) throw new DamagedCopyError(path);
  return content;
}

/** The content of a copy is not what was copied. */
export class DamagedCopyError extends Error {
  override readonly name = 'DamagedCopyError';

  constructor(path: string) {
    super(`${path} is damaged: its content does not match its hash.`);
  }
}
