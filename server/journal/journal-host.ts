import { AppError, type ErrorBody, toErrorBody } from '../../shared/errors.ts';
import { type Database, DatabaseError, isDamaged } from './database.ts';
import { COMPANIONS, fileSize } from './database-file.ts';
import type { JournalQuery, JournalRequest, JournalResponse, QueryAnswers, QueryResult } from './journal-messages.ts';
import { closeQuietly, openDatabase, putAside } from './open-database.ts';
import { createJournalReader, type JournalReader } from './read-journal.ts';
import type { Migration } from './schema.ts';
import { writeBatches } from './write-changes.ts';

export interface JournalHostOptions {
  readonly path: string;
  readonly steps: readonly Migration[];
  readonly now: () => string;
}

/** The database of the journal and everything that is done with it. Its methods are called one at a time. */
export interface JournalHost {
  handle(request: JournalRequest): Promise<JournalResponse>;
  /** What need not be done before the response. */
  tidy(): void;
  close(): void;
}

/** Pages in the write-ahead log after which they are written to the database file. */
const CHECKPOINT_PAGES = 1_000;

interface Opened {
  readonly database: Database;
  readonly reader: JournalReader;
}

export function createJournalHost({ path, steps, now }: JournalHostOptions): JournalHost {
  let opened: Opened | undefined;
  let warnings: string[] = [];

  async function open(): Promise<Opened> {
    if (opened !== undefined) return opened;
    const { database, movedAside } = await openDatabase({ path, steps, now });
    if (movedAside !== undefined) warnMovedAside(movedAside.path, movedAside.reason);
    opened = { database, reader: createJournalReader(database) };
    return opened;
  }

  /** A database that turns out to be damaged is replaced by a new one, once. */
  async function use<T>(run: (opened: Opened) => T): Promise<T> {
    const current = await open();
    try {
      return run(current);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      opened = undefined;
      closeQuietly(current.database);
      const reason = (error as DatabaseError).message;
      warnMovedAside((await putAside(path, reason, now())).path, reason);
      return run(await open());
    }
  }

  function warnMovedAside(aside: string, reason: string): void {
    warnings.push(
      `${path} is damaged (${reason}). It is kept as ${aside}. Conversations are read from the agents again; what only the journal had is missing.`,
    );
  }

  async function write({ batches }: JournalRequest): Promise<ErrorBody | undefined> {
    try {
      await use(({ database }) => {
        if (batches.length > 0) database.transaction(() => writeBatches(database, batches));
      });
      return undefined;
    } catch (error) {
      return toBody(error);
    }
  }

  /** What could not be written is part of the answer as well. */
  async function answer(query: JournalQuery, unwritten: JournalRequest['batches']): Promise<QueryResult> {
    try {
      const value = await use(({ database, reader }) => {
        const run = () => runQuery(reader, path, query);
        if (unwritten.length === 0) return run();
        return database.trial(() => {
          writeBatches(database, unwritten);
          return run();
        });
      });
      return { ok: true, value };
    } catch (error) {
      return { ok: false, error: toBody(error) };
    }
  }

  function toBody(error: unknown): ErrorBody {
    if (error instanceof AppError) return toErrorBody(error);
    // Anything else means that SQLite itself cannot go on: let the worker end.
    if (!(error instanceof DatabaseError) && !isSystemError(error)) throw error;
    return {
      code: 'STORAGE_FAILED',
      message: `The journal ${path} could not be used: ${error.message}. Check free space and permissions of the data directory.`,
    };
  }

  return {
    async handle(request) {
      const before = opened?.reader.unreadable ?? 0;
      const failure = await write(request);
      const results: QueryResult[] = [];
      for (const query of request.queries) {
        results.push(await answer(query, failure === undefined ? [] : request.batches));
      }
      const leftOut = (opened?.reader.unreadable ?? 0) - before;
      if (leftOut > 0) warnings.push(`${leftOut} entries in ${path} could not be read and are left out.`);
      const response = { failure, results, warnings };
      warnings = [];
      return response;
    },
    tidy() {
      try {
        const pages = Number(opened?.database.get('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0);
        if (pages > CHECKPOINT_PAGES) opened?.database.get('PRAGMA wal_checkpoint(PASSIVE)');
      } catch {
        // The log has everything. The next use reports what is wrong, if it still is.
      }
    },
    close() {
      const { database } = opened ?? {};
      opened = undefined;
      database?.close();
    },
  };
}

function runQuery(reader: JournalReader, path: string, query: JournalQuery): QueryAnswers[JournalQuery['kind']] {
  switch (query.kind) {
    case 'open':
      return reader.open(query.sessionId, query.limits);
    case 'page':
      return reader.page(query.sessionId, query.before, query.limits);
    case 'read':
      return reader.read(query.sessionId);
    case 'has-turn':
      return reader.hasTurn(query.sessionId, query.turnId);
    case 'size': {
      const files = ['', ...COMPANIONS].map((suffix) => fileSize(path + suffix));
      return { bytes: files.reduce((sum, size) => sum + size, 0), items: reader.countItems() };
    }
  }
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
