import { join } from 'node:path';
import type { KeptFiles } from './kept-files.ts';
import { type Chunk, currentFiles, INDEX_NAME, type KeptFile, parseIndex } from './kept-index.ts';
import { dataPath, readChunk } from './session-copy.ts';

/** A file of a copy, for reading. */
export interface CopiedFile extends KeptFile {
  readonly chunks: readonly Chunk[];
  /** The content, checked by its hashes. Rejects with a DamagedCopyError or ShortFileError. */
  read(): AsyncGenerator<Buffer, void, undefined>;
}

/** The newest copy of every file. Undefined if there is no copy. */
export async function readCopy(directory: string, files: KeptFiles): Promise<readonly CopiedFile[] | undefined> {
  const content = await files.read(join(directory, INDEX_NAME));
  if (content === undefined) return undefined;
  const chunks = new Map<number, Chunk[]>();
  const index = parseIndex(content, (chunk) => {
    const known = chunks.get(chunk.file);
    if (known === undefined) chunks.set(chunk.file, [chunk]);
    else known.push(chunk);
  });
  const current = currentFiles(index).map((file) => {
    const own = chunks.get(file.file) ?? [];
    return { ...file, chunks: own, read: () => readChunks(dataPath(directory, file.file), own, files) };
  });
  return current.length === 0 ? undefined : current;
}

async function* readChunks(path: string, chunks: readonly Chunk[], files: KeptFiles) {
  for (const chunk of chunks) yield await readChunk(files, path, chunk);
}
