import { z } from 'zod';

/**
 * How a page and the server prove to each other that they know the same secret, without sending it:
 *
 *     page    {type: 'hello', nonce, by}
 *     server  {type: 'hello', nonce, proof}    the page checks the proof before it sends anything else
 *     page    {type: 'auth', proof}
 *     server  {type: 'auth:ok', grant?}
 *
 * A proof is an HMAC over both nonces, the way the page introduced itself and the origin of the page. So it is valid for
 * one socket, and a program on another port cannot pass it on.
 */

/** 32 bytes in base64url. */
const bytesSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** The public part of a one-time address: a random id and the time when it expires, in milliseconds since 1970. */
export const oneTimeIdSchema = z.string().regex(/^[A-Za-z0-9_-]{22}\.[0-9]{13}$/);

/** Which secret the page has: its stored key, the token that the running server printed, or a one-time address. */
export const introductionSchema = z.union([z.enum(['key', 'run']), z.strictObject({ once: oneTimeIdSchema })]);
export type Introduction = z.infer<typeof introductionSchema>;

export const helloSchema = z.strictObject({ type: z.literal('hello'), nonce: bytesSchema, by: introductionSchema });
export const serverHelloSchema = z.strictObject({ type: z.literal('hello'), nonce: bytesSchema, proof: bytesSchema });
export const proofSchema = z.strictObject({ type: z.literal('auth'), proof: bytesSchema });

/** `grant` is the key that the page keeps, masked with a value that only this page can compute. */
export const authOkSchema = z.object({ type: z.literal('auth:ok'), grant: bytesSchema.optional() });

export interface Transcript {
  readonly clientNonce: string;
  readonly serverNonce: string;
  readonly by: Introduction;
  readonly origin: string;
}

/** `server` and `client` are the proofs, `grant` masks the page's key, `http` is the key for requests. */
export type Purpose = 'server' | 'client' | 'grant' | 'http';

/** The text to authenticate. JSON of strings is unambiguous. */
export function handshakeText(purpose: Purpose, { clientNonce, serverNonce, by, origin }: Transcript): string {
  const introduction = typeof by === 'string' ? [by] : ['once', by.once];
  return JSON.stringify(['liminal-builder/1', purpose, clientNonce, serverNonce, introduction, origin]);
}

/**
 * A request of a page is authenticated by `Authorization: Liminal <server nonce> <counter> <hash of the body> <mac>`. The
 * key comes from the handshake of its socket. A counter is valid once.
 */
export const REQUEST_SCHEME = 'Liminal';

export interface SignedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly counter: number;
  /** SHA-256 in base64url. */
  readonly bodyHash: string;
}

export function requestText({ method, path, counter, bodyHash }: SignedRequest): string {
  return JSON.stringify(['liminal-builder/1', 'request', method, path, counter, bodyHash]);
}
