import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { securityHeaders } from './headers.ts';
import type { OriginPolicy } from './origin-policy.ts';
import { bearerToken } from './token.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `open`: answers without a token. `socket`: an upgrade without a header must bring the token in its first frame. */
    access?: 'open' | 'socket';
  }
}

export interface GuardOptions {
  /** Known only once the server listens, because the port may be any free one. */
  readonly policy: () => OriginPolicy;
  readonly checkToken: (candidate: string) => boolean;
}

/** Sets the headers of an answer and throws FORBIDDEN_ORIGIN or UNAUTHORIZED for a request that may not have one. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void;

export function createGuard({ policy, checkToken }: GuardOptions): Guard {
  return (request, reply) => {
    reply.headers(securityHeaders);
    if (!policy().allows(request.raw.rawHeaders)) throw new AppError('FORBIDDEN_ORIGIN');
    if (!needsToken(request)) return;
    if (!checkToken(bearerToken(request.headers.authorization))) throw new AppError('UNAUTHORIZED');
  };
}

/** Guards every request, upgrades included, before any handler sees it. A route needs the token unless it says not. */
export function installGuard(app: FastifyInstance, guard: Guard): void {
  app.addHook('onRequest', async (request, reply) => guard(request, reply));
}

function needsToken(request: FastifyRequest): boolean {
  if (request.is404) return /^\/+api(\/|$)/i.test(request.url.split('?', 1)[0] ?? '');
  const { access } = request.routeOptions.config;
  if (access !== 'socket') return access !== 'open';
  return !request.ws || request.headers.authorization !== undefined;
}
