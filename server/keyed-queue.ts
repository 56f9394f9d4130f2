/** Runs the tasks of one key one after the other; a task that fails does not stall the next one. */
export type KeyedQueue = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** A key without tasks takes no memory. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(task);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return result;
  };
}
