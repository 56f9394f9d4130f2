import type { Environment } from './environment.ts';

/** One timer for all callbacks that run every second. It stops while there are none. */
export function createEverySecond({ after }: Pick<Environment, 'after'>): (callback: () => void) => () => void {
  const callbacks = new Set<() => void>();
  let stop: (() => void) | undefined;

  function tick(): void {
    for (const callback of callbacks) callback();
    stop = callbacks.size === 0 ? undefined : after(1000, tick);
  }

  return (callback) => {
    callbacks.add(callback);
    stop ??= after(1000, tick);
    return () => {
      callbacks.delete(callback);
      if (callbacks.size > 0) return;
      stop?.();
      stop = undefined;
    };
  };
}
