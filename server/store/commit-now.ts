import type { JsonStore } from './json-store.ts';

/** A change that somebody waits for: on the disk without delay, or undone. Rejects with STORAGE_FAILED. */
export async function commitNow<T>(store: JsonStore<T>, change: (value: T) => T, undo: (value: T) => T): Promise<void> {
  const written = store.update(change);
  try {
    await Promise.all([written, store.flush()]);
  } catch (error) {
    store.update(undo).catch(() => {});
    throw error;
  }
}
