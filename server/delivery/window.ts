import { randomUUID } from 'node:crypto';
import { CLOSE_TOO_SLOW } from '../../shared/messages.ts';

/** The part of a WebSocket that delivery needs. */
export interface WindowSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

const OPEN = 1;

/** One browser window, or any other client of the socket. */
export interface Window {
  readonly id: string;
  /** Sends a message that is serialised already. A window that does not read is dropped; it resyncs when it returns. */
  send(frame: string): void;
  markAlive(): void;
  /** Pings. A window that did not answer the last ping is gone. */
  beat(): void;
}

export function createWindow(socket: WindowSocket, options: { maxBufferedBytes: number }): Window {
  let answered = true;
  return {
    id: randomUUID(),
    send(frame) {
      if (socket.readyState !== OPEN) return;
      if (socket.bufferedAmount > options.maxBufferedBytes) {
        socket.close(CLOSE_TOO_SLOW, 'This window does not keep up. Reconnect for a fresh snapshot.');
        socket.terminate();
        return;
      }
      socket.send(frame);
    },
    markAlive() {
      answered = true;
    },
    beat() {
      if (socket.readyState !== OPEN) return;
      if (!answered) {
        socket.terminate();
        return;
      }
      answered = false;
      socket.ping();
    },
  };
}
