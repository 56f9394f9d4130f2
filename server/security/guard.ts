import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { securityHeaders } from './headers.ts';
import type { OriginPolicy } from './origin-policy.ts';
import { bearerToken } from './token.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `open` needs no token. `socket` is an upgrade that may send the token in its first frame instead of a header. */
    access?: 'open' | 'socket';
  }
}

export interface GuardOptions {
  /** Known only once the server listens, because any free port may be used. */
  readonly policy: () => OriginPolicy;
  readonly checkToken: (candidate: string) => boolean;
}

/** Sets the security headers and throws FORBIDDEN_ORIGIN or UNAUTHORIZED for a request that is not allowed. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void;

export function createGuard({ policy, checkToken }: GuardOptions): Guard {
  return (request, reply) => {
    reply.headers(securityHeaders);
    if (!policy().allows(request.raw.rawHeaders)) throw new AppError('FORBIDDEN_ORIGIN');
    if (!needsToken(request)) return;
    if (!checkToken(bearerToken(request.headers.authorization))) throw new AppError('UNAUTHORIZED');
  };
}

/** Checks every request, including upgrades, before any handler. A route needs the token unless it is declared open. */
export function installGuard(app: FastifyInstance, guard: Guard): void {
  app.addHook('onRequest', async (request, reply) => guard(request, reply));
}

/** Whether the guard lets this request pass only with valid credentials. */
export function needsToken(request: FastifyRequest): boolean {
  if (request.is404) return /^\/+api(\/|$)/i.test(request.url.split('?', 1)[0] ?? '');
  const { access } = request.routeOptions.config;
  if (access !== 'socket') return access !== 'open';
  return !request.ws || request.headers.authorization !== undefined;
}
