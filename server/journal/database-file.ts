import { closeSync, fstatSync, lstatSync, readSync, rmdirSync } from 'node:fs';
import { openPrivateSync } from '../private-files.ts';
import { isErrorWithCode } from '../store/index.ts';
import { newerJournal } from './schema.ts';

/** Files that SQLite keeps beside a database. */
export const COMPANIONS: readonly string[] = ['-wal', '-journal'];

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

export type HeaderCheck = { readonly kind: 'empty' | 'sound' } | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Looks at the first bytes only. Changes nothing. Throws SERVER_NEWER_DATA for a database of a newer version and an UnsafeFileError for
 * a file that is not ours.
 */
export function checkHeader(path: string, knownVersion: number): HeaderCheck {
  for (const suffix of ['', ...COMPANIONS]) if (exists(path + suffix)) prepareFile(path + suffix);
  if (!exists(path)) return { kind: 'empty' };
  const file = openPrivateSync(path, 'read');
  try {
    const { size } = fstatSync(file);
    if (size === 0) return { kind: 'empty' };
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(file, header, 0, HEADER_BYTES, 0);
    if (length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
      return { kind: 'damaged', reason: 'it does not begin like a database' };
    const version = header.readUInt32BE(60);
    if (version > knownVersion) throw newerJournal(path, version, knownVersion);
    return { kind: 'sound' };
  } finally {
    closeSync(file);
  }
}

export function fileSize(path: string): number {
  if (!exists(path)) return 0;
  const file = openPrivateSync(path, 'read');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** SQLite opens its files by name, so they are made or checked before. Throws an UnsafeFileError. */
export function preparePrivateFiles(path: string): void {
  prepareFile(path);
  for (const suffix of COMPANIONS) if (suffix === '-wal' || exists(path + suffix)) prepareFile(path + suffix);
}

/** What a killed process left. The caller holds the lock of the data directory, so nobody else uses the database. */
export function removeStaleLock(path: string): void {
  try {
    rmdirSync(`${path}.lock`);
  } catch (error) {
    if (!isErrorWithCode(error, 'ENOENT')) throw error;
  }
}

function prepareFile(path: string): void {
  closeSync(openPrivateSync(path, 'append'));
}

/** Also if it is a link to nothing. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
