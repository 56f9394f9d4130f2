import type { z } from 'zod';

export interface BridgeOptions<In> {
  /** The window at the other end; null while there is none. Asked anew for every message. */
  readonly target: () => Window | null;
  readonly accept: z.ZodType<In>;
  readonly onMessage: (message: In) => void;
  /** The window that listens; this one unless a test says otherwise. */
  readonly host?: Window;
}

export interface Bridge<Out> {
  /** Sends to the other window; nothing happens while there is none. */
  post(message: Out): void;
  dispose(): void;
}

/**
 * `postMessage` between the shell and one session page. A message counts only if its origin is exactly ours, its
 * source is exactly the window at the other end, and it fits the schema; anything else is dropped without an answer.
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
