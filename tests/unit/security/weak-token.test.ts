import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isWeakToken } from '../../../server/security/weak-token.ts';

describe('safe/weak-token a token', () => {
  it.each([
    'aaaaaaaaaaaaaaaa',
    'a'.repeat(200),
    'abababababababab',
    'abcdefabcdefabcdef',
    '1234567890123456',
    '0123456789012345678901234567890',
    '9876543210987654',
    'abcdefghijklmnopqrstuvwxyz',
    'passwordpassword',
    'Password12345678',
    'PASSWORD-PASSWORD-1234',
    'my-secret-token-123',
    'liminal-builder-token',
    'testtesttesttest1',
    'changeme-changeme',
    'qwertyqwerty1234',
    'admin.admin.admin.1',
  ])('%s is weak', (token) => {
    expect(isWeakToken(token)).toBe(true);
  });

  it('that is random is not weak', () => {
    for (let round = 0; round < 2000; round += 1) {
      for (const token of [
        randomBytes(32).toString('base64url'),
        randomBytes(16).toString('hex'),
        randomBytes(16).toString('base64url'),
        randomUUID(),
      ]) {
        expect(isWeakToken(token), token).toBe(false);
      }
    }
  });

  it.each(['only-the-first-knows-this', 'correct-horse-battery-staple'])('%s is long enough', (token) => {
    expect(isWeakToken(token)).toBe(false);
  });
});
