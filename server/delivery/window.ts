import type { Frame } from './frame.ts';

/** The part of a WebSocket that delivery uses. */
export interface WindowSocket {
  readonly readyState: number;
  /** Bytes that have not been sent yet. */
  readonly bufferedAmount: number;
  /** Calls `sent` when the frame was sent or cannot be sent any more. */
  send(data: Uint8Array, options: { binary: false }, sent?: () => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const OPEN = 1;
const GOING_AWAY = 1001;

/** One browser window, or any other client of the socket. */
export interface Window {
  /**
   * Disconnects a window that does not read; it gets a fresh snapshot when it reconnects. A frame that is larger than
   * the limit does not count while it is the only one.
   */
  send(frame: Frame): void;
  /**
   * Sends a whole conversation of any size. It does not count towards the limit of unsent bytes, or a window that opens
   * a long one would be disconnected. Resolves when it was sent or cannot be sent any more: send the next one then.
   */
  sendSnapshot(frame: Frame): Promise<void>;
  markAlive(): void;
  /** Sends a ping. Disconnects a window that did not answer the last one. */
  beat(): void;
  close(reason: string): void;
}

export function createWindow(socket: WindowSocket, options: { readonly maxBufferedBytes: number }): Window {
  let answered = true;
  /** Unsent bytes that do not count. */
  let exemptBytes = 0;
  let hasLargeFrame = false;

  function send(frame: Frame, sent?: () => void): void {
    if (socket.readyState === OPEN && socket.bufferedAmount - exemptBytes > options.maxBufferedBytes)
      socket.terminate();
    if (socket.readyState === OPEN) socket.send(frame, { binary: false }, sent);
    else sent?.();
  }

  function sendExempt(frame: Frame, sent: () => void): void {
    send(frame, () => {
      exemptBytes -= frame.byteLength;
      sent();
    });
    // Afterwards, because the check is about what was sent before.
    exemptBytes += frame.byteLength;
  }

  return {
    send(frame) {
      // One frame that reaches the limit alone says nothing about how the window reads.
      if (hasLargeFrame || frame.byteLength < options.maxBufferedBytes) {
        send(frame);
        return;
      }
      hasLargeFrame = true;
      sendExempt(frame, () => {
        hasLargeFrame = false;
      });
    },
    sendSnapshot: (frame) => new Promise((resolve) => sendExempt(frame, resolve)),
    markAlive() {
      answered = true;
    },
    beat() {
      if (!answered) socket.terminate();
      else if (socket.readyState === OPEN) {
        answered = false;
        socket.ping();
      }
    },
    close: (reason) => socket.close(GOING_AWAY, reason),
  };
}
