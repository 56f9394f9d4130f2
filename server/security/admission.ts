import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../log.ts';
import { needsToken } from './guard.ts';

/**
 * How many connections the system queues until we take them. When the queue is full it drops new ones, and a client tries
 * again only after a second.
 */
export const LISTEN_BACKLOG = 4_096;

/** How long more than the limit may wait, up to twice as many. */
const GRACE_MS = 100;

/**
 * Limits the connections of strangers. A connection waits until it has shown valid credentials, by a request or by the
 * handshake of a socket. When too many wait, the oldest is closed: a stranger who opens many only closes strangers, while
 * a page needs a moment to prove itself. Connections that have proved themselves are neither counted nor closed.
 */
export interface Admission {
  /** Counts the connections of this server, too. */
  attach(server: Server): void;
  prove(connection: Socket): void;
}

export interface AdmissionOptions {
  readonly maxWaiting: number;
  readonly log: Pick<Logger, 'warn'>;
}

export function createAdmission({ maxWaiting, log }: AdmissionOptions): Admission {
  /** In the order in which they were opened. */
  const waiting = new Set<Socket>();
  let isCrowded = false;
  let isEvicting = false;

  function stopWaiting(connection: Socket): void {
    waiting.delete(connection);
    if (waiting.size < maxWaiting / 2) isCrowded = false;
  }

  function closeOldest(): void {
    const [oldest] = waiting;
    if (oldest === undefined) return;
    waiting.delete(oldest);
    oldest.destroy();
    if (isCrowded) return;
    isCrowded = true;
    log.warn({ maxWaiting }, 'too many connections without credentials; the oldest are closed');
  }

  /** Not at once: many windows may connect before the first of them has sent anything. */
  function evictSoon(): void {
    if (isEvicting) return;
    isEvicting = true;
    setTimeout(() => {
      isEvicting = false;
      while (waiting.size > maxWaiting) closeOldest();
    }, GRACE_MS).unref();
  }

  return {
    attach(server) {
      server.on('connection', (connection) => {
        waiting.add(connection);
        connection.once('close', () => stopWaiting(connection));
        if (waiting.size > 2 * maxWaiting) closeOldest();
        else if (waiting.size > maxWaiting) evictSoon();
      });
    },
    prove: stopWaiting,
  };
}

/** Call it after `installGuard`: what passed the guard with credentials has proved itself. */
export function proveByRequests(app: FastifyInstance, admission: Admission): void {
  app.addHook('onRequest', async (request) => {
    if (needsToken(request)) admission.prove(request.raw.socket);
  });
}
