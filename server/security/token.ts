import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TOKEN_PATTERN = /^[\x21-\x7e]{16,512}$/;

export function isUsableToken(token: string): boolean {
  return TOKEN_PATTERN.test(token);
}

/** The token of a data directory: made once, kept in a file that only its owner can read. */
export async function loadToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'token');
  const known = await readToken(path);
  if (known !== undefined) return known;
  const token = randomBytes(32).toString('base64url');
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${token}\n`, { mode: 0o600 });
  try {
    await rm(path, { force: true });
    await link(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return token;
}

async function readToken(path: string): Promise<string | undefined> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    return isUsableToken(token) ? token : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function createTokenCheck(token: string): (candidate: string) => boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  const expected = digest(token);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

/** The token of an `Authorization: Bearer …` header, or undefined where there is no such header. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer ([\x21-\x7e]+)$/.exec(header)?.[1] ?? '');
}
