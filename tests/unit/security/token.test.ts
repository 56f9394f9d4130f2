import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../server/log.ts';
import { bearerToken, createTokenCheck, isUsableToken, loadToken } from '../../../server/security/token.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

describe('the token of a data directory', () => {
  it('is random, created once, and readable only by its owner', async () => {
    const [one, two] = [scratchDirectory(), scratchDirectory()];

    const token = await loadToken(one);

    expect(isUsableToken(token)).toBe(true);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(await loadToken(one)).toBe(token);
    expect(await loadToken(two)).not.toBe(token);
    expect(readdirSync(one)).toEqual(['token']);
    expect(statSync(join(one, 'token')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(one, 'token'), 'utf8')).toBe(`${token}\n`);
  });

  it.each(['', 'short', 'has a space in it and more', 'x'.repeat(600), '"quoted-token-0123456789"'])(
    'is created again if the file contains %j',
    async (content) => {
      const directory = scratchDirectory();
      writeFileSync(join(directory, 'token'), content);

      const token = await loadToken(directory);

      expect(isUsableToken(token)).toBe(true);
      expect(await loadToken(directory)).toBe(token);
    },
  );

  it('loses its permissions for other users', async () => {
    const directory = scratchDirectory();
    const token = await loadToken(directory);
    chmodSync(join(directory, 'token'), 0o644);

    expect(await loadToken(directory)).toBe(token);
    expect(statSync(join(directory, 'token')).mode & 0o777).toBe(0o600);
  });

  it('is not replaced if the file exists but cannot be read', async () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, 'token'));

    await expect(loadToken(directory)).rejects.toThrow();
  });
});

describe('the check of a token', () => {
  it('accepts the token and nothing else of any length', () => {
    const token = 'right-token-0123456789';
    const check = createTokenCheck(token);

    expect(check(token)).toBe(true);
    for (const other of ['', ' ', `${token} `, token.slice(1), `${token}x`, token.toUpperCase(), `${token}\0`]) {
      expect(check(other)).toBe(false);
    }
  });

  it('compares digests in constant time', () => {
    const source = createTokenCheck.toString();

    expect(source).toContain('timingSafeEqual');
    expect(source).not.toMatch(/===|!==|\.includes\(|startsWith/);
  });
});

describe('the header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Bearer  abc', ''],
    ['Bearer abc ', ''],
    ['Bearer a b', ''],
    ['Basic abc', ''],
    ['abc', ''],
    ['', ''],
    [undefined, ''],
  ])('%j contains %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

it('a log line never contains the token', () => {
  const token = 'a.token_with~every-kind-0123456789';
  const lines: string[] = [];
  const log = createLogger(token, (line) => lines.push(line));

  log.info({ [token]: token, nested: { url: `http://x/#token=${token}` } }, `said ${token}`);
  log.error(new Error(token));
  log.error({ err: new AggregateError([new Error(token)], token) });

  expect(lines).toHaveLength(3);
  for (const line of lines) {
    expect(line).not.toContain(token);
    expect(line).toContain('[token]');
    expect(() => JSON.parse(line)).not.toThrow();
  }
});
