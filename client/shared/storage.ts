import type { z } from 'zod';

/** The part of `Storage` that is used here. */
export type KeyValues = Pick<Storage, 'getItem' | 'setItem'>;

export interface Stored<T> {
  read(): T;
  write(value: T): void;
}

/**
 * A value in the browser's storage. Reading returns the fallback if the stored value does not match the schema. If the
 * browser refuses to store (full, private, forbidden), the value is lost but nothing throws.
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
        // The value then lives only as long as the page.
      }
    },
  };
}
