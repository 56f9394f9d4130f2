import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createDeferred, type Deferred } from '../deferred.ts';
import { checkHeader } from './database-file.ts';
import type { Journal } from './journal.ts';
import {
  type JournalChannel,
  type JournalQuery,
  type JournalResponse,
  type QueryAnswers,
  toAppError,
} from './journal-messages.ts';
import { createLocalChannel } from './local-channel.ts';
import { createPendingChanges } from './pending-changes.ts';
import { migrations } from './schema.ts';
import { createWorkerChannel } from './worker-channel.ts';

export interface JournalOptions {
  readonly dataDir: string;
  /** Where the database is used. Here only for tests: each commit waits for the disk. */
  readonly thread: 'worker' | 'here';
  readonly clock?: Clock;
  readonly warn: (message: string) => void;
  /** Called when something could not be saved, once until `onRecovery`. */
  readonly onTrouble?: (message: string) => void;
  /** Everything is saved again. */
  readonly onRecovery?: () => void;
}

/** How long a change may wait for others before all of them are written. */
const COLLECT_MS = 500;

/** When to start the worker, if nobody needs it earlier. Delayed, because serving the page comes first after a start. */
const PREPARE_MS = 100;

/** When to try again to save what could not be saved. */
const RETRY_MS = 5_000;

/** A thread that dies as often in a row counts as a failure to save. */
const MAX_DEATHS = 2;

interface Asked {
  readonly query: JournalQuery;
  readonly answer: Deferred<QueryAnswers[JournalQuery['kind']]>;
}

/**
 * Opens the journal; the caller must hold the lock of the data directory. Only the first bytes of the file are read here,
 * so that a start does not wait for SQLite. Throws SERVER_NEWER_DATA for a journal of a newer version. A damaged one is
 * kept aside and a new one begun.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const path = join(options.dataDir, 'journal.sqlite');
  const isSound = looksSound(path);
  const journal = createJournal(options, openChannel(options, path));
  // So that what is wrong is known before the start is over.
  if (!isSound) await journal.size().catch(() => undefined);
  return journal;
}

function looksSound(path: string): boolean {
  try {
    return checkHeader(path, migrations.length).kind !== 'damaged';
  } catch (error) {
    if (error instanceof AppError) throw error;
    return false;
  }
}

function openChannel({ thread, clock = systemClock }: JournalOptions, path: string): JournalChannel {
  if (thread === 'worker') return createWorkerChannel(path);
  return createLocalChannel({ path, steps: migrations, now: clock.now });
}

function createJournal(options: JournalOptions, channel: JournalChannel): Journal {
  const { clock = systemClock, warn, onTrouble = () => {}, onRecovery = () => {} } = options;
  const pending = createPendingChanges();
  let asked: Asked[] = [];
  let durables: Deferred<void>[] = [];
  let timer: unknown;
  let running: Promise<void> | undefined;
  let isDue = false;
  let inTrouble = false;
  let deaths = 0;
  let closed = false;

  function writeWithin(ms: number): void {
    if (timer !== undefined) return;
    timer = clock.setTimeout(() => {
      timer = undefined;
      writeNow();
    }, ms);
  }

  function writeNow(): void {
    isDue = true;
    running ??= run();
  }

  async function run(): Promise<void> {
    while (isDue) await exchange();
    running = undefined;
  }

  /** Sends everything that waits. Meanwhile more may come, which waits for the next exchange. */
  async function exchange(): Promise<void> {
    isDue = false;
    clock.clearTimeout(timer);
    timer = undefined;
    const batches = pending.take();
    const queries = asked;
    const waiting = durables;
    asked = [];
    durables = [];
    const response = await channel
      .send({ batches, queries: queries.map(({ query }) => query) })
      .catch((error: unknown) => died(error));
    if (response === undefined) {
      pending.putBack(batches);
      asked = [...queries, ...asked];
      durables = [...waiting, ...durables];
      isDue = true;
      return;
    }
    for (const warning of response.warnings) warn(warning);
    const { failure, results } = response;
    for (const durable of waiting) {
      if (failure === undefined) durable.resolve();
      else durable.reject(toAppError(failure.error));
    }
    if (failure === undefined || failure.final) recover();
    else {
      pending.putBack(batches);
      trouble(failure.error.message);
    }
    for (const [index, { answer }] of queries.entries()) {
      const result = results[index];
      if (result?.ok) answer.resolve(result.value);
      else answer.reject(toAppError(result?.error ?? failure?.error ?? unanswered));
    }
  }

  /** Undefined if it is worth another try at once. */
  function died(error: unknown): JournalResponse | undefined {
    deaths += 1;
    if (deaths < MAX_DEATHS) return undefined;
    deaths = 0;
    const message = `The journal does not work: ${error instanceof Error ? error.message : error}`;
    return { failure: { error: { code: 'STORAGE_FAILED', message }, final: false }, results: [], warnings: [] };
  }

  function trouble(message: string): void {
    if (!closed) writeWithin(RETRY_MS);
    if (inTrouble) return;
    inTrouble = true;
    onTrouble(message);
  }

  function recover(): void {
    deaths = 0;
    if (!inTrouble) return;
    inTrouble = false;
    onRecovery();
  }

  function durable(): Promise<void> {
    if (closed)
      return Promise.reject(new AppError('STORAGE_FAILED', 'The journal is closed; the server is shutting down.'));
    if (pending.isEmpty && running === undefined) return Promise.resolve();
    const deferred = createDeferred();
    durables.push(deferred);
    writeNow();
    return deferred.promise;
  }

  function ask<Q extends JournalQuery>(query: Q): Promise<QueryAnswers[Q['kind']]> {
    if (closed)
      return Promise.reject(new AppError('STORAGE_FAILED', 'The journal is closed; the server is shutting down.'));
    const answer = createDeferred<QueryAnswers[JournalQuery['kind']]>();
    asked.push({ query, answer });
    writeNow();
    return answer.promise as Promise<QueryAnswers[Q['kind']]>;
  }

  if (options.thread === 'worker') writeWithin(PREPARE_MS);

  return {
    record(sessionId, changes) {
      if (closed) return;
      pending.add(sessionId, changes);
      writeWithin(COLLECT_MS);
    },
    durable,
    open: (sessionId, limits) => ask({ kind: 'open', sessionId, limits }),
    page: (sessionId, before, limits) => ask({ kind: 'page', sessionId, before, limits }),
    read: (sessionId) => ask({ kind: 'read', sessionId }),
    hasTurn: (sessionId, turnId) => ask({ kind: 'has-turn', sessionId, turnId }),
    replace(sessionId, conversation, stamp) {
      if (!closed) pending.reset(sessionId, { kind: 'replace', conversation, stamp });
      return durable();
    },
    remove(sessionId) {
      if (!closed) pending.reset(sessionId, { kind: 'remove' });
      return durable();
    },
    size: () => ask({ kind: 'size' }),
    found: {
      read: (after) => ask({ kind: 'found', after }),
      write: (rows, gone) => ask({ kind: 'write-found', rows, gone }),
    },
    async close() {
      if (closed) return;
      const saved = durable();
      closed = true;
      try {
        await saved;
      } finally {
        clock.clearTimeout(timer);
        await channel.close();
      }
    },
  };
}

const unanswered = { code: 'INTERNAL_ERROR', message: 'The journal did not answer.' } as const;
