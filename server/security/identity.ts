import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { openJsonStore } from '../store/index.ts';

/**
 * What tells this data directory apart from others. The name is the host of the page's address. Browsers resolve
 * `*.localhost` to the loopback interface, and because the name is random, no other program has ever had this origin.
 */
export interface Identity {
  readonly name: string;
  readonly seed: Buffer;
}

const format = {
  version: 1,
  schema: z.object({
    name: z.string().regex(/^lb-[a-z2-7]{12}\.localhost$/),
    seed: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  }),
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Creates it at the first start. Call it with the lock held. `warn` is told if it could not be read or saved. */
export async function loadIdentity(dataDir: string, warn: (message: string) => void): Promise<Identity> {
  const path = join(dataDir, 'identity.json');
  const defaults = { name: newName(), seed: randomBytes(32).toString('base64url') };
  const onError = () => warn(`${path} could not be saved. The next start has another address.`);
  const store = await openJsonStore({ ...format, path, defaults, onError });
  const { movedAside } = store;
  if (movedAside !== undefined)
    warn(`${path} could not be read (${movedAside.reason}). It is kept as ${movedAside.path}; the address is new.`);
  const { name, seed } = store.read();
  if (name === defaults.name) store.write({ name, seed }).catch(() => undefined);
  await store.close().catch(() => undefined);
  return { name, seed: Buffer.from(seed, 'base64url') };
}

function newName(): string {
  const letters = [...randomBytes(12)].map((byte) => BASE32[byte % BASE32.length]);
  return `lb-${letters.join('')}.localhost`;
}
