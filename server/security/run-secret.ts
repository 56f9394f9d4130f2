import { createHmac, randomBytes } from 'node:crypto';
import type { Introduction } from '../../shared/handshake.ts';

/**
 * Everything in an address that the server prints or opens is derived from a secret that is made at each start. So an
 * address opens nothing once its server is gone, whoever reads it then.
 */
export type RunSecret = Buffer;

const ONE_TIME_MS = 60_000;

export const newRunSecret = (): RunSecret => randomBytes(32);

/** The token in the printed address. */
export function printedToken(secret: RunSecret): string {
  return createHmac('sha256', secret).update('printed').digest('base64url');
}

/** The secret part of a one-time address. */
export function oneTimeSecret(secret: RunSecret, id: string): string {
  return createHmac('sha256', secret).update(`once ${id}`).digest('base64url');
}

/** The fragment of an address that works once and for a minute. */
export function oneTimeFragment(secret: RunSecret, now: number): string {
  const id = `${randomBytes(16).toString('base64url')}.${now + ONE_TIME_MS}`;
  return `#once=${id}.${oneTimeSecret(secret, id)}`;
}

export interface OneTimeUse {
  /** False if the address has expired or was used before. */
  redeem(by: Introduction): boolean;
}

/** Remembers used addresses until they expire. */
export function createOneTimeUse(now: () => number): OneTimeUse {
  const used = new Map<string, number>();
  return {
    redeem(by) {
      if (typeof by === 'string') return true;
      const expiresAt = Number(by.once.split('.')[1]);
      const time = now();
      for (const [id, expiry] of used) if (expiry <= time) used.delete(id);
      if (expiresAt <= time || used.has(by.once)) return false;
      used.set(by.once, expiresAt);
      return true;
    },
  };
}
