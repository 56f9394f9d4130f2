import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { readPrivate } from '../private-files.ts';
import { isErrorWithCode, nodeFileSystem, removeTemporaries, replaceFile } from '../store/index.ts';

/** Only characters that need no escaping in a URL, a header or a log line. */
const TOKEN_PATTERN = /^[A-Za-z0-9._~-]{16,512}$/;

export function isUsableToken(token: string): boolean {
  return TOKEN_PATTERN.test(token);
}

/** The token of a data directory: created once, in a file that only the user can read. Call it with the lock held. */
export async function loadToken(dataDir: string): Promise<string> {
  const known = await readToken(dataDir);
  if (known !== undefined) return known;
  await removeTemporaries(nodeFileSystem, tokenPath(dataDir));
  return renewToken(dataDir);
}

/** Replaces the token. A server that runs on the directory takes the new one at once. */
export async function renewToken(dataDir: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await replaceFile(nodeFileSystem, tokenPath(dataDir), `${token}\n`, randomUUID());
  return token;
}

/** Undefined if there is none. */
export async function readToken(dataDir: string): Promise<string | undefined> {
  try {
    const token = (await readPrivate(tokenPath(dataDir))).toString('utf8').trim();
    return isUsableToken(token) ? token : undefined;
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT')) return undefined;
    throw error;
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
