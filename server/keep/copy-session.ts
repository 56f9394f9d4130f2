import { basename } from 'node:path/posix';
import type { NativeFile, NativeSession } from '../engine/native-files.ts';
import { currentFiles, type KeptFile, type Source } from './kept-index.ts';
import type { CopiedFile } from './read-copy.ts';
import { hashOf, type SessionCopy } from './session-copy.ts';
import { isSameSource, lookAt, openSource, type SourceFile } from './source-file.ts';

/** How much is read, compressed and written at a time. */
const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

export interface CopySessionDeps {
  readonly copy: SessionCopy;
  /** The agent's home directory. */
  readonly home: string;
  /** The copies of the session with their chunks. */
  readonly readCopy: () => Promise<readonly CopiedFile[]>;
  /** Resolves when the next bytes may be read. Rejects when copying is to stop. */
  readonly beforeRead: (bytes: number) => Promise<void>;
  /** Sources that were looked into and had nothing new, although they differ from what the index says. */
  readonly unchanged: Map<string, Source>;
}

/** Copies what is new in the files of a conversation. Resolves to whether all that could be read is copied. */
export async function copySession({ files }: NativeSession, deps: CopySessionDeps): Promise<boolean> {
  let isComplete = true;
  const present = new Set(files.map(({ name }) => name));
  for (const file of files) {
    const source = await lookAt(file);
    if (source === undefined) continue;
    const known = deps.copy.find(file.name) ?? (await followMove(file, source, present, deps));
    const seen = deps.unchanged.get(file.name) ?? known?.last?.source;
    if (known !== undefined && known.length === source.size && isSameSource(seen, source)) continue;
    isComplete = (await copyFile(file, known, deps)) && isComplete;
  }
  return isComplete;
}

/** Codex moves the file of a conversation that is archived. */
async function followMove(
  { name }: NativeFile,
  { ino }: Source,
  present: ReadonlySet<string>,
  { copy }: CopySessionDeps,
): Promise<KeptFile | undefined> {
  const moved = currentFiles(copy.index).find(
    (file) =>
      !present.has(file.name) &&
      basename(file.name) === basename(name) &&
      file.last?.source.ino === ino &&
      copy.find(file.name) === file,
  );
  return moved === undefined ? undefined : copy.rename(moved, name);
}

async function copyFile(file: NativeFile, known: KeptFile | undefined, deps: CopySessionDeps): Promise<boolean> {
  const source = await openSource(deps.home, file);
  if (source === undefined) return false;
  try {
    const before = known !== undefined && (await continues(source, known, deps)) ? known : undefined;
    await copyRest(file.name, source, before, deps);
    return true;
  } finally {
    await source.close();
  }
}

/** Whether the file still begins with what was copied. A file that was replaced is compared as a whole. */
async function continues(source: SourceFile, known: KeptFile, deps: CopySessionDeps): Promise<boolean> {
  const { last, length } = known;
  if (last === undefined || source.source.size < length) return false;
  if (last.source.ino === source.source.ino) return hashOf(await readTail(source, length)) === last.tail;
  const copied = (await deps.readCopy()).find(({ file }) => file === known.file);
  for (const { offset, length: size, sha256 } of copied?.chunks ?? []) {
    await deps.beforeRead(size);
    if (hashOf(await source.read(offset, size)) !== sha256) return false;
  }
  return copied !== undefined;
}

async function copyRest(
  name: string,
  source: SourceFile,
  before: KeptFile | undefined,
  { copy, beforeRead, unchanged }: CopySessionDeps,
): Promise<void> {
  const end = source.source.size;
  let file = before;
  let tail = await readTail(source, file?.length ?? 0);
  for (let at = file?.length ?? 0; at < end || file === undefined; ) {
    const size = Math.min(CHUNK_BYTES, end - at);
    await beforeRead(size);
    const content = await source.read(at, size);
    // It was cut meanwhile: the next look begins anew.
    if (content.length < size) return;
    tail = Buffer.concat([tail, content]).subarray(-TAIL_BYTES);
    file = await copy.append(name, file, { content, tail, source: source.source });
    at += content.length;
  }
  if (file === before) unchanged.set(name, source.source);
  else unchanged.delete(name);
}

function readTail(source: SourceFile, end: number): Promise<Buffer> {
  const length = Math.min(TAIL_BYTES, end);
  return source.read(end - length, length);
}
