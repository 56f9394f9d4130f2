import { type Credential, credentialOfBytes } from '../../../../../client/shell/server/proof/credential.ts';
import type { KeyStore } from '../../../../../client/shell/server/proof/key-store.ts';
import { type Credentials, createCredentials } from '../../../../../server/security/credentials.ts';
import { type Handshake, startHandshake } from '../../../../../server/security/handshake.ts';
import { createRequestKeys, type RequestKeys } from '../../../../../server/security/request-keys.ts';
import { createOneTimeUse } from '../../../../../server/security/run-secret.ts';
import type { SocketEnd } from './fake-socket.ts';

/** The server's real side of the handshake, on fake sockets. */
export interface ProvingServer {
  readonly credentials: Credentials;
  readonly requestKeys: RequestKeys;
  /** The key of a page that has had access before. */
  readonly pageKey: Uint8Array;
  readonly credential: Credential;
  /** Answers a frame of the handshake; false if the frame is something else. */
  answer(frame: { readonly type: string }, end: SocketEnd): boolean;
}

export function createProvingServer(origin: string = location.origin): ProvingServer {
  const credentials = createCredentials({ token: 'the-token-of-the-test', seed: Buffer.alloc(32, 3) });
  const requestKeys = createRequestKeys();
  const oneTimeUse = createOneTimeUse(Date.now);
  const handshakes = new Map<SocketEnd, Handshake>();
  const pageKey = new Uint8Array(credentials.pageKey(origin));
  return {
    credentials,
    requestKeys,
    pageKey,
    credential: credentialOfBytes('key', pageKey),
    answer(frame, end) {
      if (frame.type !== 'hello' && frame.type !== 'auth') return false;
      const handshake = handshakes.get(end) ?? startHandshake({ credentials, requestKeys, oneTimeUse }, origin);
      handshakes.set(end, handshake);
      const step = handshake.receive(frame);
      // Asynchronous, like a network.
      queueMicrotask(() => (step.kind === 'refused' ? end.drop(4401) : end.say(step.reply)));
      return true;
    },
  };
}

/** A key store in memory, with this key in it. */
export function memoryKeyStore(key: Uint8Array | null): KeyStore & { readonly saved: Uint8Array[] } {
  const saved: Uint8Array[] = [];
  return {
    saved,
    read: async () => {
      const current = saved.at(-1) ?? key;
      return current === null ? null : credentialOfBytes('key', current);
    },
    save: async (bytes) => {
      saved.push(bytes);
      return credentialOfBytes('key', bytes);
    },
  };
}
