import { createHmac, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import {
  type authOkSchema,
  handshakeText,
  helloSchema,
  type Purpose,
  proofSchema,
  type serverHelloSchema,
  type Transcript,
} from '../../shared/handshake.ts';
import { authMessageSchema } from '../../shared/messages.ts';
import type { Credentials } from './credentials.ts';
import type { RequestKeys } from './request-keys.ts';
import type { OneTimeUse } from './run-secret.ts';
import { createTokenCheck } from './token.ts';

export type HandshakeStep =
  | { readonly kind: 'refused' }
  | { readonly kind: 'challenged'; readonly reply: z.infer<typeof serverHelloSchema> }
  | { readonly kind: 'admitted'; readonly reply: z.infer<typeof authOkSchema> };

/** The server's side of the handshake in shared/handshake.ts, for one socket. One attempt per socket. */
export interface Handshake {
  /** Takes a frame of a socket that is not admitted. After a refusal there must be no other call. */
  receive(frame: unknown): HandshakeStep;
  /** Call it when the socket closes: its key for requests ends. */
  end(): void;
}

export interface HandshakeDeps {
  readonly credentials: Credentials;
  readonly requestKeys: RequestKeys;
  readonly oneTimeUse: OneTimeUse;
}

const refused: HandshakeStep = { kind: 'refused' };

/** `origin` comes from a Host header that the guard has checked. */
export function startHandshake({ credentials, requestKeys, oneTimeUse }: HandshakeDeps, origin: string): Handshake {
  let pending: { readonly transcript: Transcript; readonly secret: Buffer } | undefined;
  let isOver = false;
  let removeKey = (): void => {};

  function challenge(frame: unknown): HandshakeStep {
    const token = authMessageSchema.safeParse(frame);
    if (token.success) return credentials.accepts(token.data.token) ? admitted({}) : refused;
    const hello = helloSchema.safeParse(frame);
    if (!hello.success) return refused;
    const { nonce: clientNonce, by } = hello.data;
    const serverNonce = randomBytes(32).toString('base64url');
    const transcript = { clientNonce, serverNonce, by, origin };
    const secret = credentials.secretOf(by, origin);
    pending = { transcript, secret };
    const proof = mac(secret, 'server', transcript).toString('base64url');
    return { kind: 'challenged', reply: { type: 'hello', nonce: serverNonce, proof } };
  }

  function check(frame: unknown, { transcript, secret }: NonNullable<typeof pending>): HandshakeStep {
    const expected = mac(secret, 'client', transcript).toString('base64url');
    const answer = proofSchema.safeParse(frame);
    if (!answer.success || !createTokenCheck(expected)(answer.data.proof)) return refused;
    if (!oneTimeUse.redeem(transcript.by)) return refused;
    removeKey = requestKeys.add(transcript.serverNonce, mac(secret, 'http', transcript));
    if (transcript.by === 'key') return admitted({});
    const grant = masked(credentials.pageKey(origin), mac(secret, 'grant', transcript));
    return admitted({ grant: grant.toString('base64url') });
  }

  return {
    receive(frame) {
      if (isOver) return refused;
      const step = pending === undefined ? challenge(frame) : check(frame, pending);
      isOver = step.kind !== 'challenged';
      return step;
    },
    end() {
      isOver = true;
      removeKey();
    },
  };
}

const admitted = (fields: { readonly grant?: string }): HandshakeStep => ({
  kind: 'admitted',
  reply: { type: 'auth:ok', ...fields },
});

function mac(secret: Buffer, purpose: Purpose, transcript: Transcript): Buffer {
  return createHmac('sha256', secret).update(handshakeText(purpose, transcript)).digest();
}

function masked(value: Buffer, mask: Buffer): Buffer {
  return Buffer.from(value.map((byte, index) => byte ^ (mask[index] ?? 0)));
}
