import type { Introduction } from '../../../../shared/handshake.ts';
import { utf8 } from './bytes.ts';
import { hmacSha256 } from './sha256.ts';

/** A secret that the server knows too. It can sign; it is never sent. */
export interface Credential {
  readonly by: Introduction;
  /** HMAC-SHA-256. */
  sign(text: string): Promise<Uint8Array>;
}

export function credentialOfBytes(by: Introduction, secret: Uint8Array): Credential {
  return { by, sign: async (text) => hmacSha256(secret, utf8(text)) };
}

/** The page's own key, which cannot be read out. */
export function credentialOfKey(key: CryptoKey, subtle: SubtleCrypto): Credential {
  return { by: 'key', sign: async (text) => new Uint8Array(await subtle.sign('HMAC', key, utf8(text))) };
}
