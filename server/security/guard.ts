import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { securityHeaders } from './headers.ts';
import type { OriginPolicy } from './origin-policy.ts';
import { bearerToken } from './token.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `open`: answers without a token. `socket`: without a header the first frame must carry the token. */
    access?: 'open' | 'socket';
  }
}

export interface GuardOptions {
  /** Known only once the server listens, because the port may be any free one. */
  readonly policy: () => OriginPolicy;
  readonly checkToken: (candidate: string) => boolean;
}

/** Guards every request, upgrades included, before any handler sees it. A route needs the token unless it says not. */
export function installGuard(app: FastifyInstance, options: GuardOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders);
    if (!options.policy().allows(request.raw.rawHeaders)) throw new AppError('FORBIDDEN_ORIGIN');
    if (!needsToken(request)) return;
    if (!options.checkToken(bearerToken(request.headers.authorization) ?? '')) throw new AppError('UNAUTHORIZED');
  });
}

function needsToken(request: FastifyRequest): boolean {
  if (request.is404) return /^\/+api(\/|$)/i.test(request.url.split('?', 1)[0] ?? '');
  const { access } = request.routeOptions.config;
  if (access === 'socket') return request.headers.authorization !== undefined;
  return access !== 'open';
}
