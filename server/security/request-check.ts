import type { FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.ts';
import { REQUEST_SCHEME } from '../../shared/handshake.ts';
import type { Credentials } from './credentials.ts';
import { bodyHashOf, type RequestKeys } from './request-keys.ts';
import { bearerToken } from './token.ts';

/** The hash that the body of a signed request must have. */
const bodyHashes = new WeakMap<FastifyRequest, string>();
const NO_BODY = bodyHashOf(new Uint8Array());

/** Throws UNAUTHORIZED unless the request has a token, as scripts do, or was signed by a page. */
export type CheckRequest = (request: FastifyRequest) => void;

export function createRequestCheck(deps: { credentials: Credentials; requestKeys: RequestKeys }): CheckRequest {
  return (request) => {
    const header = request.headers.authorization ?? '';
    if (!header.startsWith(`${REQUEST_SCHEME} `)) {
      if (!deps.credentials.accepts(bearerToken(header))) throw new AppError('UNAUTHORIZED');
      return;
    }
    // A page cannot set headers on a socket, so there is no use for a signature.
    if (request.ws) throw new AppError('UNAUTHORIZED');
    const bodyHash = deps.requestKeys.verify({ method: request.method, path: request.raw.url ?? '', header });
    if (bodyHash === undefined) throw new AppError('UNAUTHORIZED');
    bodyHashes.set(request, bodyHash);
  };
}

/** Throws UNAUTHORIZED if the request was signed for another body. */
export function checkBody(request: FastifyRequest, body: Uint8Array | undefined): void {
  const expected = bodyHashes.get(request);
  if (expected === undefined) return;
  if ((body === undefined ? NO_BODY : bodyHashOf(body)) !== expected) throw new AppError('UNAUTHORIZED');
}
