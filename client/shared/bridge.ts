import type { z } from 'zod';

export interface BridgeOptions<In> {
  /** The window at the other end, or null. Called for every message. */
  readonly target: () => Window | null;
  readonly accept: z.ZodType<In>;
  readonly onMessage: (message: In) => void;
  /** The window to listen on. Defaults to the current one. */
  readonly host?: Window;
}

export interface Bridge<Out> {
  /** Posts to the other window. Does nothing while there is none. */
  post(message: Out): void;
  dispose(): void;
}

/**
 * `postMessage` between the shell and one session page. A message is accepted only if its origin is our own, its source
 * is the window at the other end, and it matches the schema. Anything else is dropped silently.
 */
export function createBridge<In, Out>(options: BridgeOptions<In>): Bridge<Out> {
  const { target, accept, onMessage, host = window } = options;
  const origin = host.location.origin;

  const receive = (event: MessageEvent): void => {
    const other = target();
    if (event.origin !== origin || other === null || event.source !== other) return;
    const message = accept.safeParse(event.data);
    if (message.success) onMessage(message.data);
  };

  host.addEventListener('message', receive);
  return {
    post: (message) => target()?.postMessage(message, origin),
    dispose: () => host.removeEventListener('message', receive),
  };
}
