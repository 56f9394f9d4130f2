import type { JsonStore } from './json-store.ts';

/** Applies a change and saves it at once. Reverts it and rejects with STORAGE_FAILED when it cannot be saved. */
export async function commitNow<T>(store: JsonStore<T>, change: (value: T) => T, undo: (value: T) => T): Promise<void> {
  // The flush tells whether it was saved. A save that it joined may fail before the flush has tried again.
  store.update(change).catch(() => {});
  try {
    await store.flush();
  } catch (error) {
    store.update(undo).catch(() => {});
    throw error;
  }
}
