import { createHash, createHmac, randomBytes } from 'node:crypto';
import { handshakeText, type Introduction, type Purpose, requestText } from '../../../shared/handshake.ts';
import { openSocket, type SocketClient } from './socket-client.ts';

/** What a page knows. */
export interface PageSecret {
  readonly by: Introduction;
  readonly secret: Buffer;
}

export interface PageClient {
  readonly socket: SocketClient;
  /** The key that the server gave to the page, if it did. */
  readonly grant: Buffer | undefined;
  /** Makes the header of a request. */
  sign(request: { method: string; path: string; body?: string; counter?: number }): string;
}

export interface PageClientOptions extends PageSecret {
  readonly socketUrl: string;
  /** Default: that of the socket's address. */
  readonly origin?: string;
}

/** Does what a page does, with the primitives of Node. */
export async function openPageClient({ socketUrl, by, secret, ...options }: PageClientOptions): Promise<PageClient> {
  const origin = options.origin ?? new URL(socketUrl.replace('ws', 'http')).origin;
  const host = new URL(origin).host;
  const socket = await openSocket(socketUrl, { headers: { host, origin } });
  const clientNonce = randomBytes(32).toString('base64url');
  socket.send({ type: 'hello', nonce: clientNonce, by });
  const { nonce: serverNonce = '', proof } = (await socket.next('hello')) as { nonce?: string; proof?: string };
  const transcript = { clientNonce, serverNonce, by, origin };
  const mac = (purpose: Purpose) => createHmac('sha256', secret).update(handshakeText(purpose, transcript)).digest();
  if (proof !== mac('server').toString('base64url')) throw new Error('The server did not prove itself.');
  socket.send({ type: 'auth', proof: mac('client').toString('base64url') });
  const { grant } = (await socket.next('auth:ok')) as { grant?: string };
  const mask = mac('grant');
  let used = 0;
  return {
    socket,
    grant: grant === undefined ? undefined : unmasked(Buffer.from(grant, 'base64url'), mask),
    sign({ method, path, body = '', counter }) {
      used = counter ?? used + 1;
      const bodyHash = createHash('sha256').update(body).digest('base64url');
      const text = requestText({ method, path, counter: used, bodyHash });
      const signature = createHmac('sha256', mac('http')).update(text).digest('base64url');
      return `Liminal ${serverNonce} ${used} ${bodyHash} ${signature}`;
    },
  };
}

const unmasked = (value: Buffer, mask: Buffer) => Buffer.from(value.map((byte, index) => byte ^ (mask[index] ?? 0)));
