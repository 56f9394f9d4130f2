/** Messages on their way to the agent, taken out one by one as it reads them. For one reader. */
export interface InputQueue<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** What was pushed before is still delivered. */
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
