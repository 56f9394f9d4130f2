import { createHash, createHmac } from 'node:crypto';
import { REQUEST_SCHEME, requestText } from '../../shared/handshake.ts';
import { createTokenCheck } from './token.ts';

/** The keys with which pages sign their requests. A key is valid as long as the socket that it was agreed on. */
export interface RequestKeys {
  /** Returns a function that removes the key. */
  add(id: string, key: Buffer): () => void;
  /** The hash that the body must have; undefined if the request is not signed by a page that is connected. */
  verify(request: { readonly method: string; readonly path: string; readonly header: string }): string | undefined;
}

/** How far requests may overtake each other. */
const WINDOW = 1024;
const HEADER = new RegExp(`^${REQUEST_SCHEME} ([\\w-]{43}) ([1-9]\\d{0,14}) ([\\w-]{43}) ([\\w-]{43})$`);

export function createRequestKeys(): RequestKeys {
  const keys = new Map<string, { readonly key: Buffer; readonly counters: Counters }>();
  return {
    add(id, key) {
      keys.set(id, { key, counters: createCounters() });
      return () => keys.delete(id);
    },
    verify({ method, path, header }) {
      const [, id = '', digits = '', bodyHash = '', mac = ''] = HEADER.exec(header) ?? [];
      const found = keys.get(id);
      if (found === undefined) return undefined;
      const counter = Number(digits);
      const text = requestText({ method, path, counter, bodyHash });
      const expected = createHmac('sha256', found.key).update(text).digest('base64url');
      return createTokenCheck(expected)(mac) && found.counters.take(counter) ? bodyHash : undefined;
    },
  };
}

interface Counters {
  /** False if the counter was used before or is too old to tell. */
  take(counter: number): boolean;
}

function createCounters(): Counters {
  const used = new Set<number>();
  let highest = 0;
  return {
    take(counter) {
      if (counter <= highest - WINDOW || used.has(counter)) return false;
      used.add(counter);
      highest = Math.max(highest, counter);
      if (used.size > 2 * WINDOW) for (const old of used) if (old <= highest - WINDOW) used.delete(old);
      return true;
    },
  };
}

export function bodyHashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}
