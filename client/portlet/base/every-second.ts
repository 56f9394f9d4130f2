import type { Environment } from './environment.ts';

/** Calls everyone who asked, once a second, and rests while nobody does. */
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
