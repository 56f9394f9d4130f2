/** The part of a WebSocket that delivery needs. */
export interface WindowSocket {
  readonly readyState: number;
  /** Bytes that the other side has not taken yet. */
  readonly bufferedAmount: number;
  /** `sent` is called when the frame has left this process, or cannot any more. */
  send(data: Uint8Array, options: { binary: false }, sent?: () => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const OPEN = 1;
const GOING_AWAY = 1001;

/** A message as it goes over the wire, made once for all windows that get it. */
export type Frame = Uint8Array;

/** One browser window, or any other client of the socket. */
export interface Window {
  /** A window that does not read is dropped; it gets a fresh snapshot when it returns. */
  send(frame: Frame): void;
  /**
   * Sends a whole conversation, which may be of any size. It does not count as unread while it is under way, or a long
   * one would drop every window that opens it.
   */
  sendSnapshot(frame: Frame): void;
  markAlive(): void;
  /** Pings. A window that did not answer the last ping is gone. */
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
