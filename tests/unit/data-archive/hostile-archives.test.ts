import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importData } from '../../../server/data-archive/import-data.ts';
import { DATA, HEAD, MANIFEST } from '../../../server/data-archive/manifest.ts';
import { BLOCK, encodeHeader } from '../../../server/data-archive/tar-header.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { archiveOf, END, entryOf, goodFiles, manifestOf } from './archives.ts';

function place(archive: Buffer) {
  const scratch = scratchDirectory();
  const [file, dataDir] = [join(scratch, 'archive'), join(scratch, 'data')];
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(file, archive);
  return { scratch, file, dataDir };
}

/** A header with another type, or with a path that our writer would not write. */
function header(change: (block: Buffer) => void, path = `${DATA}evil`): Buffer {
  const block = encodeHeader({ path, size: 0 });
  change(block);
  block.write(' '.repeat(8), 148);
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return block;
}
const typed = (type: string) => header((block) => block.write(type, 156));

const good = archiveOf();
const plain = gunzipSync(good);
const withPath = (path: string) => archiveOf({ files: [...goodFiles, [path, 'x']] });
const withEntries = (...entries: Buffer[]) =>
  archiveOf({ entries: [...goodFiles.map(([path, content]) => entryOf(`${DATA}${path}`, content)), ...entries] });
const [first, second] = manifestOf(goodFiles).files;

const hostile: readonly (readonly [string, Buffer, RegExp])[] = [
  ['nothing', Buffer.alloc(0), /incomplete/],
  ['a text', Buffer.from('Hello'), /damaged, or was not made/],
  ['a tar archive that is not compressed', plain, /damaged, or was not made/],
  ['something else that is compressed', gzipSync('Hello, this is no archive. '.repeat(100)), /invalid header/],
  ['an empty archive', gzipSync(END), /incomplete|no manifest/],
  ['another archive', gzipSync(Buffer.concat([entryOf('a', 'b'), END])), /not made by "export"/],
  ['a head that is no JSON', gzipSync(Buffer.concat([entryOf(HEAD, '{'), END])), /cannot be read/],
  ['a head of another program', archiveOf({ head: { format: 'other' } }), /cannot be read/],
  ['a newer format', archiveOf({ head: { version: 2 } }), /newer version \(format 2; this one knows 1\)/],
  ['a format that is no number', archiveOf({ head: { version: 'x' } }), /cannot be read/],
  ['a head that is too large', gzipSync(Buffer.concat([entryOf(HEAD, ' '.repeat(70_000)), END])), /too large/],
  ['no manifest', archiveOf({ manifest: undefined }), /no manifest/],
  [
    'a manifest that is no JSON',
    archiveOf({ manifest: undefined, end: Buffer.concat([entryOf(MANIFEST, '{'), END]) }),
    /cannot be read/,
  ],
  ['a manifest without hashes', archiveOf({ manifest: { files: [{ path: 'a', size: 1 }] } }), /cannot be read/],
  ['two manifests', archiveOf({ end: Buffer.concat([entryOf(MANIFEST, '{"files":[]}'), END]) }), /after its manifest/],
  [
    'a wrong hash',
    archiveOf({ manifest: { files: [{ ...first, sha256: 'a'.repeat(64) }, second] } }),
    /not what was exported/,
  ],
  ['a wrong size', archiveOf({ manifest: { files: [{ ...first, size: 3 }, second] } }), /not what was exported/],
  ['a file that is missing', archiveOf({ manifest: manifestOf([...goodFiles, ['more', 'x']]) }), /"more" is missing/],
  ['a file that is not listed', archiveOf({ manifest: { files: [first] } }), /does not list/],
  [
    'a file that is listed twice in place of another',
    archiveOf({ manifest: { files: [first, first] } }),
    /does not list/,
  ],
  ['a file that comes twice', withEntries(entryOf(`${DATA}projects.json`, '{}')), /twice/],
  ['a file where a directory is', withEntries(entryOf(`${DATA}envelope`, 'x')), /something else already/],
  ['a directory where a file is', withEntries(entryOf(`${DATA}projects.json/x`, 'x')), /something else already/],
  ['a symbolic link', withEntries(typed('2')), /"data\/evil", which is not a file/],
  ['a hard link', withEntries(typed('1')), /not a file/],
  ['a device', withEntries(typed('3')), /not a file/],
  ['a named pipe', withEntries(typed('6')), /not a file/],
  ['a directory', withEntries(typed('5')), /not a file/],
  ['an old kind of long name', withEntries(typed('L')), /not a file/],
  [
    'a wrong checksum',
    withEntries(Buffer.from(encodeHeader({ path: 'data/x', size: 0 })).fill(7, 0, 3)),
    /invalid header/,
  ],
  ['a size that is no number', withEntries(header((block) => block.write('999999999999', 124))), /invalid header/],
  ['a negative size', withEntries(header((block) => block.fill(0xff, 124, 136))), /invalid header/],
  ['a size that no disk has', withEntries(encodeHeader({ path: `${DATA}big`, size: 2 ** 49 })), /bytes are free/],
  [
    'a size beyond all numbers',
    withEntries(encodeHeader({ path: `${DATA}big`, size: 1e30 })),
    /invalid extended header/,
  ],
  ['an extended header that is too long', withEntries(entryOf('x', 'y'.repeat(70_000)).fill('x', 156, 157)), /invalid/],
  [
    'something after its end',
    archiveOf({ end: Buffer.concat([END, Buffer.from('x'.repeat(BLOCK))]) }),
    /after its end/,
  ],
  ['half of an end', archiveOf({ end: Buffer.alloc(BLOCK) }), /incomplete/],
  ['an absolute path', withEntries(entryOf('/etc/passwd', 'x')), /"\/etc\/passwd", which is not a file of/],
  ['a path beside the data', withEntries(entryOf('projects.json', 'x')), /not a file of a data directory/],
];

const paths = [
  '',
  '/etc/passwd',
  '../evil',
  'a/../../evil',
  'a/..',
  './evil',
  'a//b',
  'a/',
  'a\\..\\evil',
  'C:evil',
  'a\nb',
  'a\0b',
  'a\u0085b',
  'nul ',
  'dots...',
  'x'.repeat(256),
  'deep/'.repeat(300),
  'token',
  'TOKEN',
  'identity.json',
  'running.json',
  'server.log',
  'lock/owner.json',
  'processes/1.json',
  'journal.sqlite.lock/x',
  '.sessions.json.1.tmp',
];

describe('keep/import refuses with one line and leaves nothing behind', () => {
  const refuse = async (archive: Buffer, reason: RegExp) => {
    const { scratch, file, dataDir } = place(archive);

    const error: unknown = await importData({ file, dataDir }).catch((refusal: unknown) => refusal);

    expect(error).toMatchObject({ name: 'AppError', message: expect.stringMatching(reason) });
    expect((error as Error).message).not.toContain('\n');
    expect(readdirSync(scratch, { recursive: true }).sort()).toEqual(['archive', 'data']);
  };

  it.each(hostile)('%s', async (_name, archive, reason) => refuse(archive, reason));

  it.each(paths)('the path %j', async (path) => refuse(withPath(path), /is not a file of a data directory/));

  it('an archive that was cut off, wherever', async () => {
    for (let at = 1; at < good.length; at += Math.ceil(good.length / 40)) {
      await refuse(good.subarray(0, at), /incomplete|damaged/);
    }
    await refuse(good.subarray(0, good.length - 1), /incomplete|damaged/);
  });

  it('an archive in which a byte was changed, wherever', async () => {
    for (let at = 10; at < good.length; at += Math.ceil(good.length / 40)) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ 0x41;
      await refuse(changed, /./);
    }
  });
});

describe('keep/import the place', () => {
  it('is not touched where something is in it', async () => {
    const { file, dataDir } = place(good);
    writeFileSync(join(dataDir, 'sessions.json'), 'precious');

    await expect(importData({ file, dataDir })).rejects.toThrow(/is not empty, and nothing in it is replaced/);

    expect(readdirSync(dataDir)).toEqual(['sessions.json']);
    expect(readFileSync(join(dataDir, 'sessions.json'), 'utf8')).toBe('precious');
  });

  it.each(['missing', 'data', 'loop'])('of an archive must be a file: %s', async (name) => {
    const { scratch, dataDir } = place(good);
    symlinkSync('loop', join(scratch, 'loop'));

    await expect(importData({ file: join(scratch, name), dataDir })).rejects.toMatchObject({ name: 'AppError' });

    expect(readdirSync(scratch).sort()).toEqual(['archive', 'data', 'loop']);
  });

  it('has the files of the archive, for this user alone', async () => {
    const { scratch, file, dataDir } = place(good);

    expect(await importData({ file, dataDir })).toEqual({ files: 2, bytes: 30 });

    for (const [path, content] of goodFiles) expect(readFileSync(join(dataDir, path), 'utf8')).toBe(content);
    expect(readdirSync(scratch).sort()).toEqual(['archive', 'data']);
  });
});
