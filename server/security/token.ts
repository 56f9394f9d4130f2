import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { nodeFileSystem, replaceFile } from '../store/index.ts';

/** Only characters that need no escaping in a URL, a header or a log line. */
const TOKEN_PATTERN = /^[A-Za-z0-9._~-]{16,512}$/;

export function isUsableToken(token: string): boolean {
  return TOKEN_PATTERN.test(token);
}

/** The token of a data directory: created once, in a file that only the user can read. Call it with the lock held. */
export async function loadToken(dataDir: string): Promise<string> {
  return (await readToken(dataDir)) ?? renewToken(dataDir);
}

/** Replaces the token. A server that runs on the directory takes the new one at once. */
export async function renewToken(dataDir: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await replaceFile(nodeFileSystem, tokenPath(dataDir), `${token}\n`, randomUUID());
  return token;
}

/** Undefined if there is none. Does not follow a link, which may lead to a file that somebody else knows. */
export async function readToken(dataDir: string): Promise<string | undefined> {
  const file = await openWithoutFollowing(tokenPath(dataDir));
  if (file === undefined) return undefined;
  try {
    const token = (await file.readFile('utf8')).trim();
    await file.chmod(0o600);
    return isUsableToken(token) ? token : undefined;
  } finally {
    await file.close();
  }
}

async function openWithoutFollowing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== 'ELOOP') throw error;
    throw new AppError('STORAGE_FAILED', `${path} is a link. Remove it; the server then makes a new token.`);
  }
}

export function tokenPath(dataDir: string): string {
  return join(dataDir, 'token');
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function createTokenCheck(token: string): (candidate: string) => boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  const expected = digest(token);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

/** The token of an `Authorization: Bearer …` header; empty, which no token is, where there is none. */
export function bearerToken(header: string | undefined): string {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header ?? '')?.[1] ?? '';
}
