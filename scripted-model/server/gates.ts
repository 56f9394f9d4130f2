/** Named points at which replies wait until a test releases them. */
export interface Gates {
  /** Waits at a gate until it is released or opened; rejects when the signal aborts. */
  wait(name: string, signal: AbortSignal): Promise<void>;
  /** Resolves as soon as a reply is waiting at the gate. */
  reached(name: string): Promise<void>;
  /** Lets one reply pass: the one that has waited longest, otherwise the next to arrive. */
  release(name: string): void;
  /** Lets all replies pass, now and later. */
  open(name: string): void;
}

interface Gate {
  readonly waiting: Set<() => void>;
  readonly watchers: Set<() => void>;
  passes: number;
}

export function createGates(): Gates {
  const gates = new Map<string, Gate>();

  const find = (name: string): Gate => {
    const known = gates.get(name);
    if (known) return known;
    const gate: Gate = { waiting: new Set(), watchers: new Set(), passes: 0 };
    gates.set(name, gate);
    return gate;
  };

  const letThrough = (gate: Gate): void => {
    for (const pass of gate.waiting) {
      if (gate.passes === 0) return;
      gate.passes -= 1;
      gate.waiting.delete(pass);
      pass();
    }
  };

  return {
    wait: (name, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const gate = find(name);
        const pass = () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = () => {
          gate.waiting.delete(pass);
          reject(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        gate.waiting.add(pass);
        for (const notify of gate.watchers) notify();
        gate.watchers.clear();
        letThrough(gate);
      }),
    reached: (name) =>
      new Promise((resolve) => {
        const gate = find(name);
        if (gate.waiting.size > 0) resolve();
        else gate.watchers.add(resolve);
      }),
    release: (name) => {
      const gate = find(name);
      gate.passes += 1;
      letThrough(gate);
    },
    open: (name) => {
      const gate = find(name);
      gate.passes = Infinity;
      letThrough(gate);
    },
  };
}
