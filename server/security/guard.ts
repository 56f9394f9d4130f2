import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { securityHeaders } from './headers.ts';
import type { OriginPolicy } from './origin-policy.ts';
import type { CheckRequest } from './request-check.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `open` needs no token. `socket` is an upgrade that may authenticate by its first frames instead of a header. */
    access?: 'open' | 'socket';
  }
}

export interface GuardOptions {
  /** Known only once the server listens, because any free port may be used. */
  readonly policy: () => OriginPolicy;
  readonly checkRequest: CheckRequest;
}

/**
 * Sets the security headers and throws FORBIDDEN_ORIGIN or UNAUTHORIZED for a request that is not allowed, and NOT_FOUND
 * for the script of a service worker, which we do not have.
 */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void;

export function createGuard({ policy, checkRequest }: GuardOptions): Guard {
  return (request, reply) => {
    reply.headers(securityHeaders);
    if (!policy().allows(request.raw.rawHeaders)) throw new AppError('FORBIDDEN_ORIGIN');
    if (request.headers['service-worker'] !== undefined) throw new AppError('NOT_FOUND');
    if (needsToken(request)) checkRequest(request);
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
