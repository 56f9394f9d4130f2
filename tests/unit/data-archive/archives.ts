import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, DATA, HEAD, MANIFEST } from '../../../server/data-archive/manifest.ts';
import { BLOCK, encodeHeader, paddingOf } from '../../../server/data-archive/tar-header.ts';

export function entryOf(path: string, content: string | Buffer, size?: number): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    encodeHeader({ path, size: size ?? bytes.length }),
    bytes,
    Buffer.alloc(paddingOf(bytes.length)),
  ]);
}

export const END = Buffer.alloc(2 * BLOCK);

export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat([...Object.entries(files).map(([path, content]) => entryOf(path, content)), END]);
}

export interface ArchiveParts {
  readonly head?: object;
  readonly files?: readonly (readonly [string, string])[];
  /** The entries of the files, if they differ from `files`. */
  readonly entries?: readonly Buffer[];
  readonly manifest?: unknown;
  readonly end?: Buffer;
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

export function manifestOf(files: readonly (readonly [string, string])[]) {
  return {
    files: files.map(([path, content]) => ({ path, size: Buffer.byteLength(content), sha256: sha256(content) })),
  };
}

export const goodFiles = [
  ['projects.json', '{"version":1,"projects":[]}'],
  ['envelope/other/a.jsonl', '{}\n'],
] as const;

/** An archive in which one part may be wrong. */
export function archiveOf(parts: ArchiveParts = {}): Buffer {
  const { files = goodFiles, end = END } = parts;
  const head = { format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, createdAt: 'now', program: '0', ...parts.head };
  const entries = parts.entries ?? files.map(([path, content]) => entryOf(`${DATA}${path}`, content));
  const manifest = 'manifest' in parts ? parts.manifest : manifestOf(files);
  return gzipSync(
    Buffer.concat([
      entryOf(HEAD, JSON.stringify(head)),
      ...entries,
      ...(manifest === undefined ? [] : [entryOf(MANIFEST, JSON.stringify(manifest))]),
      end,
    ]),
  );
}
