import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LISTEN_BACKLOG } from './security/admission.ts';

/** What holds our port on `[::1]`: we, nobody because the machine has no IPv6, or another program. */
export type SecondLoopback = 'ours' | 'absent' | 'taken';

const IPV4 = '127.0.0.1';
const IPV6 = '::1';
/** How often another free port is tried if one is free on one of the loopback addresses only. */
const ATTEMPTS = 20;

/**
 * Listens on both loopback addresses with the same port. The page's name may lead a browser to either, so another program
 * must not have the other one.
 */
export async function listenOnLoopback(server: FastifyInstance, port: number): Promise<SecondLoopback> {
  await server.ready();
  for (let attempt = 1; ; attempt += 1) {
    const second = await openSecond(server, port);
    try {
      const shared = typeof second === 'string' ? port : portOf(second);
      await server.listen({ host: IPV4, port: shared, backlog: LISTEN_BACKLOG });
      return typeof second === 'string' ? second : 'ours';
    } catch (error) {
      if (typeof second !== 'string') second.close();
      const isLast = port !== 0 || attempt === ATTEMPTS;
      if (isLast || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** Connections are passed on to the HTTP server, so that limits, guard and shutdown are the same for both. */
async function openSecond(server: FastifyInstance, port: number): Promise<Server | Exclude<SecondLoopback, 'ours'>> {
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    server.server.emit('connection', socket);
  });
  try {
    second.listen({ host: IPV6, port, backlog: LISTEN_BACKLOG });
    await once(second, 'listening');
    server.server.once('close', () => second.close());
    return second;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code) ? 'absent' : 'taken';
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
