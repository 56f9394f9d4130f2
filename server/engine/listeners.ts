import type { Unsubscribe } from './provider-types.ts';

export interface Listeners<T> {
  add(listener: (value: T) => void): Unsubscribe;
  emit(value: T): void;
  clear(): void;
}

/** A set of listeners. A listener that throws does not affect the others. */
export function createListeners<T>(onFailure: (error: unknown) => void): Listeners<T> {
  const listeners = new Set<{ readonly call: (value: T) => void }>();
  return {
    add(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    emit(value) {
      for (const listener of [...listeners]) {
        try {
          listener.call(value);
        } catch (error) {
          onFailure(error);
        }
      }
    },
    clear: () => listeners.clear(),
  };
}
