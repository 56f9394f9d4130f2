import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  applyExtended,
  BLOCK,
  encodeHeader,
  parseHeader,
  type TarEntry,
} from '../../../server/data-archive/tar-header.ts';
import { readTar } from '../../../server/data-archive/tar-reader.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { tarOf } from './archives.ts';

const paths = [
  'a',
  `${'d'.repeat(60)}/${'f'.repeat(100)}`,
  `${'d'.repeat(155)}/${'f'.repeat(100)}`,
  `${'d'.repeat(156)}/${'f'.repeat(100)}`,
  'f'.repeat(101),
  `${'deep/'.repeat(100)}file`,
  'Ünïcödé/日本語/👍.json',
];

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = bytes.length): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { path, content } of readTar(inPieces(bytes, size))) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    found[path] = Buffer.concat(pieces).toString();
  }
  return found;
}

/** The header of the file itself, with what an extended header before it says. */
function decode(bytes: Buffer): TarEntry | undefined {
  const first = parseHeader(bytes.subarray(0, BLOCK));
  if (first.kind !== 'extended') return first.kind === 'file' ? first.entry : undefined;
  const last = parseHeader(bytes.subarray(-BLOCK));
  const records = bytes.subarray(BLOCK, BLOCK + first.entry.size);
  return last.kind === 'file' ? applyExtended(records, last.entry) : undefined;
}

describe('keep/export-all an archive', () => {
  it.each(paths)('keeps a path as it is: %s', (path) => {
    expect(decode(encodeHeader({ path, size: 12 }))).toEqual({ path, size: 12 });
  });

  it.each([0, 1, 0o77777777777, 0o77777777777 + 1, 2 ** 40])('keeps a size of %d bytes', (size) => {
    expect(decode(encodeHeader({ path: 'a', size }))).toEqual({ path: 'a', size });
  });

  it.each([1, 7, 511, 512, 513, 100_000])('is read in pieces of %d bytes', async (size) => {
    const files = { empty: '', small: 'x', block: 'y'.repeat(512), more: 'z'.repeat(1_500) };

    expect(await read(tarOf(files), size)).toEqual(files);
  });

  it('is read by the tar program of the system', () => {
    const directory = scratchDirectory();
    const files = Object.fromEntries(paths.map((path, index) => [path, `content ${index}`]));
    writeFileSync(join(directory, 'a.tar'), tarOf(files));

    const listed = execFileSync('tar', ['-tf', 'a.tar'], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    const content = execFileSync('tar', ['-xOf', 'a.tar'], { cwd: directory, encoding: 'utf8' });

    expect(listed.trimEnd().split('\n')).toHaveLength(paths.length);
    expect(listed).toContain(`${'deep/'.repeat(100)}file`);
    expect(content).toBe(Object.values(files).join(''));
  });
});
