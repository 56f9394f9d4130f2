import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { createDurably, replaceFile } from './atomic-file.ts';
import { isErrorWithCode, type StoreFileSystem } from './file-system.ts';

const ownerSchema = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  pid: z.int().positive(),
  startTime: z.string(),
  released: z.boolean(),
  url: z.string().optional(),
});

/** The current, a former or a prospective owner of the data directory. */
export interface LockOwner {
  readonly id: string;
  readonly pid: number;
  readonly startTime: string;
  readonly released: boolean;
  readonly url?: string | undefined;
}

/** The files of the lock and the operations on them. data-lock.ts explains why they are correct. */
export interface LockFiles {
  /** Undefined if the directory never had an owner. */
  lastOfChain(): Promise<LockOwner | undefined>;
  /** Tries to succeed `predecessor`; true if the claim is valid. */
  claim(claim: LockOwner, predecessor: LockOwner | undefined): Promise<boolean>;
  /** Reduces the chain to this owner. Only for a valid claim. */
  settle(owner: LockOwner): Promise<void>;
  /** May only be called by the owner. */
  replaceOwner(owner: LockOwner): Promise<void>;
}

export async function openLockFiles(
  directory: string,
  fs: StoreFileSystem,
  newToken: () => string,
): Promise<LockFiles> {
  const ownerPath = join(directory, 'owner.json');
  const successorPath = (id: string) => join(directory, `${id}.next`);
  await fs.makeDirectory(directory);

  async function readOwner(path: string): Promise<LockOwner | undefined> {
    try {
      return parseOwner(await fs.read(path));
    } catch (error) {
      if (isErrorWithCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async function lastOfChain(): Promise<LockOwner | undefined> {
    let last = await readOwner(ownerPath);
    while (last !== undefined) {
      const next = await readOwner(successorPath(last.id));
      if (next === undefined) break;
      last = next;
    }
    return last;
  }

  const replaceOwner = (owner: LockOwner) => replaceFile(fs, ownerPath, JSON.stringify(owner), newToken());

  return {
    lastOfChain,
    replaceOwner,
    async claim(claim, predecessor) {
      const name = predecessor === undefined ? ownerPath : successorPath(predecessor.id);
      if (!(await linkWhole(fs, join(directory, `${claim.id}.claim`), name, claim))) return false;
      const counts = (await lastOfChain())?.id === claim.id;
      if (!counts) await fs.remove(name);
      return counts;
    },
    async settle(owner) {
      await replaceOwner(owner);
      for (const name of await fs.list(directory)) {
        if (/\.(next|claim|tmp)$/.test(name)) await fs.remove(join(directory, name));
      }
    },
  };
}

/** Creates the record atomically; false if the name is taken. */
async function linkWhole(fs: StoreFileSystem, temporary: string, name: string, record: LockOwner): Promise<boolean> {
  try {
    await createDurably(fs, temporary, JSON.stringify(record));
    await fs.link(temporary, name);
    return true;
  } catch (error) {
    // ENOENT: the new owner removed our temporary file.
    if (isErrorWithCode(error, 'EEXIST') || isErrorWithCode(error, 'ENOENT')) return false;
    throw error;
  } finally {
    await fs.remove(temporary).catch(() => {});
  }
}

/** A record damaged by a power cut has no owner, but its successor needs an id to refer to. */
function parseOwner(bytes: Uint8Array): LockOwner {
  try {
    return ownerSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    const id = `spoiled-${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`;
    return { id, pid: 1, startTime: 'unknown', released: true };
  }
}
