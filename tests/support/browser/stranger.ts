import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const program = readFileSync(new URL('../../fixtures/programs/port-stranger.mjs', import.meta.url), 'utf8');
/** The user `nobody`, whom a test can become if it runs as root. */
const NOBODY = 65_534;

export interface StrangerOptions {
  readonly port: number;
  readonly hosts: readonly string[];
  /** As another user of the machine, where that is possible. */
  readonly otherUser?: boolean;
  /** Passes sockets on to a server on this port. */
  readonly relayTo?: number;
  /** Leaves a service worker behind. */
  readonly worker?: boolean;
}

export interface Stranger {
  /** Everything it has received, as text. */
  heard(): readonly { readonly kind: string; readonly text: string }[];
  /** Resolves when it has received something of this kind. */
  has(kind: string): Promise<void>;
  stop(): Promise<void>;
}

/** Another program takes the port. */
export async function startStranger(options: StrangerOptions): Promise<Stranger> {
  const { port, hosts, relayTo, worker = false } = options;
  const isRoot = process.getuid?.() === 0;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    env: { STRANGER: JSON.stringify({ port, hosts, relayTo, worker }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...(options.otherUser && isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let isGone = false;
  const exited = once(child, 'exit').then(() => {
    isGone = true;
  });
  const heard: { kind: string; text: string }[] = [];
  child.on('message', (message) => heard.push(message as { kind: string; text: string }));
  const has = async (kind: string) => {
    while (!heard.some((entry) => entry.kind === kind)) {
      if (isGone) throw new Error('The other program has exited.');
      await Promise.race([once(child, 'message'), exited]);
    }
  };
  await has('ready');
  return {
    heard: () => heard.filter(({ kind }) => kind !== 'ready'),
    has,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
