import {
  authOkSchema,
  handshakeText,
  type Purpose,
  REQUEST_SCHEME,
  requestText,
  serverHelloSchema,
} from '../../../../shared/handshake.ts';
import { fromBase64url, isEqual, masked, toBase64url, utf8 } from './bytes.ts';
import type { Credential } from './credential.ts';
import { hmacSha256, sha256 } from './sha256.ts';

/** Makes the `Authorization` header of a request. Each call uses up a counter. */
export type SignRequest = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}) => string;

export interface Admission {
  readonly signRequest: SignRequest;
  /** A key to keep, if the page came with an address instead of a key. */
  readonly grant: Uint8Array<ArrayBuffer> | null;
}

/** The page's side of the handshake in shared/handshake.ts, for one socket. */
export interface Handshake {
  /** The first frame. */
  readonly hello: string;
  /**
   * Takes the server's first frame and resolves to ours, or to null if it does not prove that the server knows the
   * secret. Then nothing more may be sent.
   */
  prove(frame: unknown): Promise<string | null>;
  /** Takes the answer to the proof. Null if it is not an admission. */
  admit(frame: unknown): Admission | null;
}

export function startHandshake(credential: Credential, origin: string, nonce: Uint8Array): Handshake {
  const { by } = credential;
  const clientNonce = toBase64url(nonce);
  let agreed: { readonly id: string; readonly key: Uint8Array; readonly mask: Uint8Array } | undefined;

  return {
    hello: JSON.stringify({ type: 'hello', nonce: clientNonce, by }),
    async prove(frame) {
      const answer = serverHelloSchema.safeParse(frame);
      if (!answer.success || answer.data.nonce === clientNonce) return null;
      const { nonce: serverNonce, proof } = answer.data;
      const sign = (purpose: Purpose) =>
        credential.sign(handshakeText(purpose, { clientNonce, serverNonce, by, origin }));
      if (!isEqual(await sign('server'), fromBase64url(proof))) return null;
      const [ours, key, mask] = await Promise.all([sign('client'), sign('http'), sign('grant')]);
      agreed = { id: serverNonce, key, mask };
      return JSON.stringify({ type: 'auth', proof: toBase64url(ours) });
    },
    admit(frame) {
      const answer = authOkSchema.safeParse(frame);
      if (!answer.success || agreed === undefined) return null;
      const { grant } = answer.data;
      return {
        signRequest: createRequestSigner(agreed.id, agreed.key),
        grant: grant === undefined ? null : masked(fromBase64url(grant), agreed.mask),
      };
    },
  };
}

function createRequestSigner(id: string, key: Uint8Array): SignRequest {
  let counter = 0;
  return ({ method, path, body }) => {
    counter += 1;
    const bodyHash = toBase64url(sha256(utf8(body)));
    const mac = hmacSha256(key, utf8(requestText({ method, path, counter, bodyHash })));
    return `${REQUEST_SCHEME} ${id} ${counter} ${bodyHash} ${toBase64url(mac)}`;
  };
}
