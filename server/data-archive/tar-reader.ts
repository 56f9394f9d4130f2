import { AppError } from '../../shared/errors.ts';
import { applyExtended, BLOCK, paddingOf, parseHeader, type TarEntry } from './tar-header.ts';

/** An entry and its content, which must be read before the next entry is asked for. */
export interface ReadEntry extends TarEntry {
  readonly content: AsyncIterable<Buffer>;
}

const MAX_EXTENDED = 64 * 1024;

export const damaged = (what: string): AppError => new AppError('STORAGE_FAILED', `The archive ${what}.`);

/** Reads files only: an archive with links, directories or devices is refused. Throws an AppError that says why. */
export async function* readTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const source = createByteSource(bytes);
  let records: Buffer | undefined;
  for (;;) {
    const header = parseHeader(await source.take(BLOCK));
    if (header.kind === 'damaged') throw damaged('is damaged: it has an invalid header');
    if (header.kind === 'end') return await expectEnd(source);
    if (header.kind === 'extended') {
      if (records !== undefined || header.entry.size > MAX_EXTENDED) throw damaged('has an invalid extended header');
      records = await source.take(header.entry.size);
      await source.take(paddingOf(header.entry.size));
      continue;
    }
    const entry = records === undefined ? header.entry : applyExtended(records, header.entry);
    records = undefined;
    if (entry === undefined) throw damaged('has an invalid extended header');
    if (header.kind === 'other') throw damaged(`contains ${JSON.stringify(entry.path)}, which is not a file`);
    let left = entry.size;
    async function* content(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const piece = await source.upTo(left);
        left -= piece.length;
        yield piece;
      }
    }
    yield { ...entry, content: content() };
    if (left > 0) throw new Error('The content of an entry was not read.');
    await source.take(paddingOf(entry.size));
  }
}

/** A second empty block, then nothing but zeros. */
async function expectEnd(source: ByteSource): Promise<void> {
  let block = await source.take(BLOCK);
  while (block.length > 0) {
    if (block.some((byte) => byte !== 0)) throw damaged('has something after its end');
    block = await source.upTo(BLOCK, true);
  }
}

interface ByteSource {
  /** Exactly so many bytes. Throws if the archive ends before. */
  take(count: number): Promise<Buffer>;
  /** At least one byte and at most so many. At the end of the archive it throws, or returns nothing if that is expected. */
  upTo(count: number, mayEnd?: boolean): Promise<Buffer>;
}

function createByteSource(bytes: AsyncIterable<Buffer>): ByteSource {
  const iterator = bytes[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function upTo(count: number, mayEnd = false): Promise<Buffer> {
    while (rest.length === 0) {
      const next = await iterator.next();
      if (next.done && mayEnd) return rest;
      if (next.done) throw damaged('is incomplete: it ends too early');
      rest = next.value;
    }
    const piece = rest.subarray(0, count);
    rest = rest.subarray(piece.length);
    return piece;
  }

  return {
    upTo,
    async take(count) {
      const pieces: Buffer[] = [];
      for (let left = count; left > 0; ) {
        const piece = await upTo(left);
        pieces.push(piece);
        left -= piece.length;
      }
      return Buffer.concat(pieces, count);
    },
  };
}
