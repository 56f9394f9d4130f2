import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64url, isEqual, toBase64url } from '../../../../client/shell/server/proof/bytes.ts';
import { createPlainKeyStore } from '../../../../client/shell/server/proof/key-store.ts';
import { hmacSha256, sha256 } from '../../../../client/shell/server/proof/sha256.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

describe('safe/proof without crypto.subtle', () => {
  it('SHA-256 is that of node:crypto, for all lengths around a block and any bytes', () => {
    for (let length = 0; length <= 200; length += 1) {
      const message = randomBytes(length);
      expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
    }
    fc.assert(
      fc.property(
        bytes(5000),
        (message) => hex(sha256(message)) === createHash('sha256').update(message).digest('hex'),
      ),
    );
  });

  it('HMAC is that of node:crypto, for keys shorter and longer than a block', () => {
    fc.assert(
      fc.property(
        bytes(200),
        bytes(500),
        (key, message) => hex(hmacSha256(key, message)) === createHmac('sha256', key).update(message).digest('hex'),
      ),
      { numRuns: 300 },
    );
  });

  it('the key is kept in the storage and works after a reload', async () => {
    const key = new Uint8Array(randomBytes(32));
    await createPlainKeyStore(localStorage).save(key);
    const read = await createPlainKeyStore(localStorage).read();
    expect(hex((await read?.sign('text')) ?? new Uint8Array())).toBe(
      createHmac('sha256', key).update('text').digest('hex'),
    );
    localStorage.setItem('liminal:page-key', 'nonsense');
    expect(await createPlainKeyStore(localStorage).read()).toBeNull();
    localStorage.clear();
  });
});

it('base64url and equality of bytes are exact', () => {
  fc.assert(
    fc.property(bytes(40), bytes(40), (a, b) => {
      expect(toBase64url(a)).toBe(Buffer.from(a).toString('base64url'));
      expect(hex(fromBase64url(toBase64url(a)))).toBe(hex(a));
      expect(isEqual(a, b)).toBe(hex(a) === hex(b));
    }),
  );
});
