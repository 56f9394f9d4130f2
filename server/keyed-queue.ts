/** Runs the tasks of one key one after the other; a task that fails does not stall the next one. */
export interface KeyedQueue {
  <T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Whether a task of the key runs or waits. */
  isBusy(key: string): boolean;
}

/** A key without tasks takes no memory. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (tails.get(key) ?? Promise.resolve()).then(task);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return result;
  }
  return Object.assign(run, { isBusy: (key: string) => tails.has(key) });
}
