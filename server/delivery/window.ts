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

/** A serialised message, shared by all windows that receive it. */
export type Frame = Uint8Array;

/** One browser window, or any other client of the socket. */
export interface Window {
  /** Disconnects a window that does not read; it gets a fresh snapshot when it reconnects. */
  send(frame: Frame): void;
  /**
   * Sends a whole conversation of any size. It does not count towards the limit of unsent bytes, or a window that opens
   * a long one would be disconnected.
   */
  sendSnapshot(frame: Frame): void;
  markAlive(): void;
  /** Sends a ping. Disconnects a window that did not answer the last one. */
  beat(): void;
  close(reason: string): void;
}

export function createWindow(socket: WindowSocket, options: { readonly maxBufferedBytes: number }): Window {
  let answered = true;
  let snapshotBytes = 0;

  function send(frame: Frame, sent?: () => void): void {
    if (socket.readyState !== OPEN) return;
    if (socket.bufferedAmount - snapshotBytes > options.maxBufferedBytes) socket.terminate();
    else socket.send(frame, { binary: false }, sent);
  }

  return {
    send: (frame) => send(frame),
    sendSnapshot(frame) {
      send(frame, () => {
        snapshotBytes -= frame.byteLength;
      });
      snapshotBytes += frame.byteLength;
    },
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
