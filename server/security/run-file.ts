import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivate } from '../private-files.ts';
import { nodeFileSystem, replaceFile } from '../store/index.ts';
import { oneTimeFragment, printedToken, type RunSecret } from './run-secret.ts';

/**
 * What a later start needs to print the address of the running server. In a file of its own, which only the user can
 * read, because the lock need not be secret. It is of no use once the server is gone.
 */
export interface RunFile {
  readonly pid: number;
  readonly startTime: string;
  /** Of the page, without a secret. */
  readonly url: string;
  /** The same without the page's own name. */
  readonly plainUrl: string;
  readonly secret: RunSecret;
  /** The token comes from the environment and cannot be renewed. */
  readonly fixedToken: boolean;
}

const schema = z.object({
  version: z.literal(1),
  pid: z.int().positive(),
  startTime: z.string(),
  url: z.url(),
  plainUrl: z.url(),
  secret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  fixedToken: z.boolean(),
});

const pathIn = (dataDir: string) => join(dataDir, 'running.json');

/** Only for the server that holds the lock. */
export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  const contents = { version: 1, ...run, secret: run.secret.toString('base64url') };
  await replaceFile(nodeFileSystem, pathIn(dataDir), JSON.stringify(contents), randomUUID());
}

export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
}

/** Undefined if there is none that can be read. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    const text = await readPrivate(pathIn(dataDir));
    const { version: _, secret, ...run } = schema.parse(JSON.parse(text.toString('utf8')));
    return { ...run, secret: Buffer.from(secret, 'base64url') };
  } catch {
    return undefined;
  }
}

/** The addresses of the page, with what gives access to it. */
export interface Addresses {
  readonly printed: string;
  /** For browsers that cannot resolve the page's name; undefined if it has none. */
  readonly plain?: string;
  /** Works once, for the command line of the browser, which other users can read. */
  readonly oneTime: string;
}

export function addressesOf({ url, plainUrl, secret }: Pick<RunFile, 'url' | 'plainUrl' | 'secret'>): Addresses {
  const fragment = `#token=${printedToken(secret)}`;
  return {
    printed: `${url}${fragment}`,
    oneTime: `${url}${oneTimeFragment(secret, Date.now())}`,
    ...(plainUrl !== url && { plain: `${plainUrl}${fragment}` }),
  };
}
