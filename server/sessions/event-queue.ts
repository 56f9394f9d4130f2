/** Changes of a session in order. They wait for the history, for a sequence number and for the disk. */
export interface EventQueue {
  /** Applies a change as soon as it can. */
  add(apply: () => void): void;
  /** Puts changes before all that wait. Call it while the queue is held. */
  addFirst(changes: readonly (() => void)[]): void;
  /** Applies what waits. Call it when numbers are available again. */
  run(): void;
  /** Begins to apply changes. */
  open(): void;
  /** Applies nothing any more. */
  close(): void;
  isOpen(): boolean;
  isHeld(): boolean;
  /** Lets changes wait until `work` is done. */
  hold(work: () => Promise<void>): Promise<void>;
  /** Resolves when everything that was added is applied and nothing is held. */
  drained(): Promise<void>;
}

/** `canApply`: whether a number is available. */
export function createEventQueue(canApply: () => boolean): EventQueue {
  const waiting: (() => void)[] = [];
  const drains: (() => void)[] = [];
  let isOpen = false;
  let isHeld = false;

  const isDrained = () => !isOpen || (waiting.length === 0 && !isHeld);

  function run(): void {
    while (isOpen && !isHeld && canApply()) {
      const apply = waiting.shift();
      if (apply === undefined) break;
      apply();
    }
    if (isDrained()) for (const resolve of drains.splice(0)) resolve();
  }

  return {
    add(apply) {
      waiting.push(apply);
      run();
    },
    addFirst: (changes) => void waiting.unshift(...changes),
    run,
    open() {
      isOpen = true;
      run();
    },
    close() {
      isOpen = false;
      run();
    },
    isOpen: () => isOpen,
    isHeld: () => isHeld,
    async hold(work) {
      isHeld = true;
      try {
        await work();
      } finally {
        isHeld = false;
        run();
      }
    },
    drained: () => (isDrained() ? Promise.resolve() : new Promise((resolve) => drains.push(resolve))),
  };
}
