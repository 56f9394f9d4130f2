import type { JsonStore } from './json-store.ts';

/** Applies a change and saves it at once. Reverts it and rejects with STORAGE_FAILED when it cannot be saved. */
export async function commitNow<T>(store: JsonStore<T>, change: (value: T) => T, undo: (value: T) => T): Promise<void> {
  const written = store.update(change);
  try {
    await Promise.all([written, store.flush()]);
  } catch (error) {
    store.update(undo).catch(() => {});
    throw error;
  }
}
