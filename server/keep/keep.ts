import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeepStatus } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { makePrivateDirectory } from '../private-files.ts';
import { openCopies } from './copies.ts';
import { createKeeper, type KeeperOptions, type KeeperTiming, type KeptAgent } from './keeper.ts';
import { type KeptFiles, nodeKeptFiles, ShortFileError } from './kept-files.ts';
import { writeCopy } from './lay-out.ts';
import { putBack } from './put-back.ts';
import { type CopiedFile, readCopy } from './read-copy.ts';
import { type CopyId, DamagedCopyError } from './session-copy.ts';

/**
 * Copies of the agents' own transcripts, because agents delete them. Independent of everything else in the data
 * directory.
 */
export interface Keep {
  /** Whether there is a copy of the transcript, complete when it was last looked at. */
  isKept(sessionId: SessionId): boolean;
  status(): Promise<KeepStatus>;
  /** Tells that a session has changed. */
  copySoon(sessionId: SessionId): void;
  /** Looks at all transcripts now. Resolves when they are copied as far as possible. */
  copyAll(): Promise<void>;
  /**
   * Writes the files of a conversation that are missing back to the agent's home. Resolves to their number. Rejects with
   * NOT_KEPT, COPY_DAMAGED, PUT_BACK_CONFLICT or STORAGE_FAILED.
   */
  putBack(sessionId: SessionId): Promise<number>;
  /**
   * Calls `read` with a directory that has the copied files where the agent's home has them, and removes it afterwards.
   * Undefined if there is no copy. Rejects with COPY_DAMAGED.
   */
  readKept<T>(sessionId: SessionId, read: (home: string) => Promise<T>): Promise<T | undefined>;
  /** Removes the copy of a deleted session, if there is one. */
  forget(sessionId: SessionId): Promise<void>;
  close(): Promise<void>;
}

export interface KeepOptions extends Pick<KeeperOptions, 'agents' | 'projectDirs' | 'projectDirOf' | 'onKept'> {
  readonly dataDir: string;
  /** Otherwise nothing is copied; existing copies can still be read and put back. */
  readonly on: boolean;
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onStatus: (status: KeepStatus) => void;
  readonly timing?: Partial<KeeperTiming>;
  readonly files?: KeptFiles;
}

const TIMING: KeeperTiming = {
  firstLookMs: 5_000,
  lookEveryMs: 3 * 60_000,
  soonMs: 2_000,
  bytesPerSecond: 8 * 1024 * 1024,
};

/** Reads little: looking at transcripts and copies begins some seconds later. */
export async function openKeep(options: KeepOptions): Promise<Keep> {
  const { dataDir, on, limitBytes, clock, log, files = nodeKeptFiles } = options;
  const directory = join(dataDir, 'kept');
  const scratch = join(directory, '.scratch');
  // Left by a server that was killed.
  await rm(scratch, { recursive: true, force: true });
  const copies = await openCopies({ directory, files, now: clock.now, limitBytes });
  let reading: Promise<void> | undefined;
  const readAll = () => {
    reading ??= copies.readAll();
    return reading;
  };

  const currentStatus = (): KeepStatus => ({
    on,
    ...copies.totals(),
    limitBytes,
    ...(on ? keeper.state() : { state: 'off' }),
  });
  let reported = '';
  const keeper = createKeeper({
    ...options,
    copies: { ...copies, open: async (id) => readAll().then(() => copies.open(id)) },
    files,
    timing: { ...TIMING, ...options.timing },
    onChange() {
      const status = currentStatus();
      const { message = '' } = status;
      if (message !== reported) {
        if (message === '') log.info('transcripts are copied again');
        else log.warn(message);
      }
      reported = message;
      options.onStatus(status);
    },
  });

  function agentOf(sessionId: SessionId): KeptAgent | undefined {
    const { cliType } = fromCanonical(sessionId);
    return options.agents().find((agent) => agent.cliType === cliType);
  }

  function idOf(sessionId: SessionId): CopyId {
    const { cliType, nativeId } = fromCanonical(sessionId);
    return { cliType, nativeId: agentOf(sessionId)?.nativeFiles?.nativeIdOf(sessionId) ?? nativeId };
  }

  async function find(sessionId: SessionId): Promise<readonly CopiedFile[] | undefined> {
    return readCopy(copies.directoryOf(idOf(sessionId)), files);
  }

  if (on) keeper.start();

  return {
    isKept: (sessionId) => copies.has(idOf(sessionId)),
    async status() {
      await readAll();
      return currentStatus();
    },
    copySoon(sessionId) {
      if (on) keeper.copySoon(sessionId);
    },
    copyAll: async () => (on ? keeper.lookNow() : undefined),
    async putBack(sessionId) {
      const home = agentOf(sessionId)?.nativeFiles?.home();
      const copied = await find(sessionId);
      if (home === undefined || copied === undefined) throw new AppError('NOT_KEPT');
      return explained(putBack({ home, files: copied, newToken: randomUUID }));
    },
    async readKept(sessionId, read) {
      const copied = await find(sessionId);
      if (copied === undefined) return undefined;
      makePrivateDirectory(scratch);
      const home = join(scratch, randomUUID());
      try {
        await explained(layOut(copied, home));
        return await read(home);
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
    async forget(sessionId) {
      await keeper.between(() => copies.remove(idOf(sessionId)));
      options.onStatus(currentStatus());
    },
    close: () => keeper.close(),
  };
}

async function layOut(files: readonly CopiedFile[], home: string): Promise<void> {
  for (const file of files) await writeCopy(file, join(home, file.name));
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isDamaged = error instanceof DamagedCopyError || error instanceof ShortFileError;
    const why = error instanceof Error ? error.message : String(error);
    if (isDamaged) throw new AppError('COPY_DAMAGED', `${why} Nothing was put back.`, { cause: error });
    throw new AppError('STORAGE_FAILED', `The conversation could not be put back: ${why}.`, { cause: error });
  }
}
