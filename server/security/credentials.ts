import { createHmac, randomBytes } from 'node:crypto';
import type { Introduction } from '../../shared/handshake.ts';
import { newRunSecret, oneTimeSecret, printedToken, type RunSecret } from './run-secret.ts';
import { createTokenCheck } from './token.ts';

/** What gives access to this server, until the token is renewed. */
export interface Credentials {
  /** Accepts the token and the printed token of this run, for scripts. */
  accepts(candidate: string): boolean;
  /** Whether this is the token that scripts use now. */
  isToken(candidate: string): boolean;
  /** The secret that a page proves to know. */
  secretOf(by: Introduction, origin: string): Buffer;
  /** The key that a page of this origin keeps. */
  pageKey(origin: string): Buffer;
  run(): RunSecret;
  /** What may not appear in the log. */
  secrets(): readonly string[];
  /** Replaces the token and the secret of this run, and tells the listeners. */
  renew(token: string): void;
  /** Returns a function that ends the subscription. */
  onRenewed(listener: () => void): () => void;
}

export interface CredentialsOptions {
  readonly token: string;
  /**
   * A secret of the data directory. Pages' keys depend on it, because the proof of the server, which anyone may ask for,
   * would otherwise allow to guess a weak token without being noticed.
   */
  readonly seed?: Buffer;
}

export function createCredentials({ token, seed = randomBytes(32) }: CredentialsOptions): Credentials {
  const listeners = new Set<() => void>();
  let current = derive(token);

  function derive(from: string) {
    const run = newRunSecret();
    const printed = printedToken(run);
    return {
      run,
      secrets: [from, printed],
      isToken: createTokenCheck(from),
      isPrinted: createTokenCheck(printed),
      root: createHmac('sha256', seed).update(from).digest(),
    };
  }

  const pageKey = (origin: string) => createHmac('sha256', current.root).update(`page ${origin}`).digest();

  return {
    accepts: (candidate) => current.isToken(candidate) || current.isPrinted(candidate),
    isToken: (candidate) => current.isToken(candidate),
    secretOf(by, origin) {
      if (by === 'key') return pageKey(origin);
      const text = by === 'run' ? printedToken(current.run) : oneTimeSecret(current.run, by.once);
      return Buffer.from(text, 'base64url');
    },
    pageKey,
    run: () => current.run,
    secrets: () => current.secrets,
    renew(next) {
      current = derive(next);
      for (const listener of [...listeners]) listener();
    },
    onRenewed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
