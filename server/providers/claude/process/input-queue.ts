/** A queue of messages for one reader. */
export interface InputQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** Items that were pushed before are still delivered. */
  end(): void;
}

export function createInputQueue<T>(): InputQueue<T> {
  const waiting: T[] = [];
  let wake = () => {};
  let hasEnded = false;

  return {
    push(item) {
      waiting.push(item);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (hasEnded) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
