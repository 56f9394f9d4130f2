import { randomBytes } from 'node:crypto';
import type { Introduction } from '../../../shared/handshake.ts';
import { openPageClient } from './page-client.ts';
import { openSocket } from './socket-client.ts';

export interface Door {
  readonly socketUrl: string;
  readonly url: string;
  /** The origin of the page. */
  readonly origin: string;
}

export interface Tries {
  readonly tried: number;
  /** What got in. */
  readonly admitted: readonly string[];
}

const WORD = /[A-Za-z0-9._~+/=-]{16,512}/g;

/**
 * Uses everything in these texts in every way that could give access: as a token, as the secret of each kind of handshake,
 * as a header, and as a recorded frame.
 */
export async function tryEverything(door: Door, texts: readonly string[]): Promise<Tries> {
  const words = [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))];
  const frames = [...new Set(texts.filter((text) => text.startsWith('{')))];
  const headers = [...new Set(texts.flatMap((text) => text.match(/^(?:Bearer|Liminal) .+$/gim) ?? []))];
  const admitted: string[] = [];
  let tried = 0;
  async function attempt(what: string, run: () => Promise<boolean>): Promise<void> {
    tried += 1;
    if (await run().catch(() => false)) admitted.push(what);
  }

  for (const header of [...headers, ...words.map((word) => `Bearer ${word}`)]) {
    await attempt(header, async () => {
      const answer = await fetch(`${door.url}/api/project`, { headers: { authorization: header } });
      return answer.status !== 401;
    });
  }
  for (const word of words) {
    await attempt(`auth ${word}`, () => isAdmitted(door, [{ type: 'auth', token: word }]));
    for (const by of introductions(word)) {
      const secret = Buffer.from(word.split('.').at(-1) ?? '', 'base64url');
      await attempt(`${JSON.stringify(by)} ${word}`, async () => {
        const { socket } = await openPageClient({ by, secret, socketUrl: door.socketUrl, origin: door.origin });
        await socket.close();
        return true;
      });
    }
  }
  for (const frame of frames) {
    await attempt(frame, () => isAdmitted(door, [frame]));
    await attempt(`hello, ${frame}`, () =>
      isAdmitted(door, [{ type: 'hello', nonce: randomBytes(32).toString('base64url'), by: 'key' }, frame]),
    );
  }
  if (frames.length > 1) await attempt('all frames', () => isAdmitted(door, frames));
  return { tried, admitted };
}

function introductions(word: string): Introduction[] {
  const once = /^([\w-]{22}\.\d{13})\./.exec(word)?.[1];
  return ['key', 'run', ...(once === undefined ? [] : [{ once }])];
}

async function isAdmitted(door: Door, frames: readonly (object | string)[]): Promise<boolean> {
  const { host } = new URL(door.origin);
  const socket = await openSocket(door.socketUrl, { headers: { host, origin: door.origin } });
  for (const frame of frames) socket.send(frame);
  // An honest answer to a hello is no admission, so ask for something.
  socket.send({ type: 'project:list', requestId: 'try' });
  const result = await Promise.race([
    socket.closed.then(() => false),
    socket
      .next((frame) => frame.requestId === 'try')
      .then(
        () => true,
        () => false,
      ),
  ]);
  socket.socket.terminate();
  return result;
}
