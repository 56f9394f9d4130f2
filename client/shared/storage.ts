import type { z } from 'zod';

/** What is asked of a storage: `localStorage`, `sessionStorage` or a stand-in. */
export type KeyValues = Pick<Storage, 'getItem' | 'setItem'>;

/** One value in the browser's storage. */
export interface Stored<T> {
  read(): T;
  write(value: T): void;
}

/**
 * Reads what fits the schema, the fallback otherwise. A browser that refuses to store (full, private, forbidden) costs
 * the memory of a preference, never an error.
 */
export function createStored<T>(storage: KeyValues, key: string, schema: z.ZodType<T>, fallback: T): Stored<T> {
  return {
    read() {
      try {
        const text = storage.getItem(key);
        if (text === null) return fallback;
        const value = schema.safeParse(JSON.parse(text));
        return value.success ? value.data : fallback;
      } catch {
        return fallback;
      }
    },
    write(value) {
      try {
        storage.setItem(key, JSON.stringify(value));
      } catch {
        // Kept for this window only.
      }
    },
  };
}
