import { fromBase64url, toBase64url } from './bytes.ts';
import { type Credential, credentialOfBytes, credentialOfKey } from './credential.ts';

/** Where the page keeps its key for the next load. */
export interface KeyStore {
  /** Null if there is none. */
  read(): Promise<Credential | null>;
  /** Keeps the key and returns it. */
  save(key: Uint8Array<ArrayBuffer>): Promise<Credential>;
}

/** Changes in `localStorage` whenever a key was saved, so that other windows notice. It contains no secret. */
export const KEY_SAVED_AT = 'liminal:key-saved-at';

const DATABASE = 'liminal';
const STORE = 'keys';
const NAME = 'page';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Keeps the key in IndexedDB in a form that no script can read out, because a program that later has the same address can
 * read whatever else is stored for it. If the browser refuses to store it, it lives as long as the page.
 */
export function createKeyStore(subtle: SubtleCrypto, database: IDBFactory): KeyStore {
  return {
    async read() {
      const key = await withStore(database, 'readonly', (store): IDBRequest<unknown> => store.get(NAME)).catch(
        () => undefined,
      );
      return key instanceof CryptoKey ? credentialOfKey(key, subtle) : null;
    },
    async save(bytes) {
      const key = await subtle.importKey('raw', bytes, HMAC, false, ['sign']);
      await withStore(database, 'readwrite', (store) => store.put(key, NAME)).catch(() => undefined);
      return credentialOfKey(key, subtle);
    },
  };
}

const PLAIN_NAME = 'liminal:page-key';

/**
 * For pages without `crypto.subtle`: those opened over plain HTTP at an address that is not loopback, which the user
 * asked for with `--host`. The key can be read by any script of the same origin. It is still never sent.
 */
export function createPlainKeyStore(storage: Pick<Storage, 'getItem' | 'setItem'>): KeyStore {
  return {
    async read() {
      const text = storage.getItem(PLAIN_NAME) ?? '';
      return /^[\w-]{43}$/.test(text) ? credentialOfBytes('key', fromBase64url(text)) : null;
    },
    async save(bytes) {
      storage.setItem(PLAIN_NAME, toBase64url(bytes));
      return credentialOfBytes('key', bytes);
    },
  };
}

async function withStore<T>(
  factory: IDBFactory,
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = factory.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await finished(opening);
  try {
    return await finished(use(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
