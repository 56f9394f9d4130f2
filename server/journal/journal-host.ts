import { AppError, type ErrorBody, toErrorBody } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import { isDatabaseError } from './database.ts';
import { COMPANIONS, fileSize } from './database-file.ts';
import { readFound, writeFound } from './found-rows.ts';
import type {
  JournalQuery,
  JournalRequest,
  JournalResponse,
  QueryAnswers,
  QueryResult,
  WriteFailure,
} from './journal-messages.ts';
import type { DatabaseOptions } from './open-database.ts';
import type { SessionBatch } from './pending-changes.ts';
import { createJournalReader, type JournalReader } from './read-journal.ts';
import { createUsableDatabase } from './usable-database.ts';
import { writeBatches } from './write-changes.ts';

/** Everything that is done with the database of the journal. Its methods are called one at a time. */
export interface JournalHost {
  handle(request: JournalRequest): Promise<JournalResponse>;
  /** What need not be done before the response. */
  tidy(): void;
  close(): void;
}

export function createJournalHost(options: DatabaseOptions): JournalHost {
  const { path } = options;
  let warnings: string[] = [];
  const warnedOf = new Set<SessionId>();

  const database = createUsableDatabase({
    ...options,
    onMovedAside: (to, reason) =>
      warnings.push(
        `${path} is damaged (${reason}). It is kept as ${to}. Conversations are read from the agents again; what only the journal had is missing.`,
      ),
  });

  const write = (batches: readonly SessionBatch[]) =>
    database.use((opened) => {
      if (batches.length > 0) opened.transaction(() => writeBatches(opened, batches));
    });

  async function tryToWrite(batches: readonly SessionBatch[]): Promise<WriteFailure | undefined> {
    try {
      await write(batches);
      return undefined;
    } catch (error) {
      return worthAnotherTry(error) ? { error: toBody(error), final: false } : writeOneByOne(batches);
    }
  }

  /** So that changes of one session that cannot be written, whatever is wrong with them, do not keep those of others out. */
  async function writeOneByOne(batches: readonly SessionBatch[]): Promise<WriteFailure | undefined> {
    let failure: WriteFailure | undefined;
    for (const batch of batches) {
      try {
        await write([batch]);
      } catch (error) {
        if (worthAnotherTry(error)) return { error: toBody(error), final: false };
        warnings.push(`Changes of the session ${batch.sessionId} could not be kept in ${path}: ${messageOf(error)}`);
        failure = { error: toBody(error), final: true };
      }
    }
    return failure;
  }

  async function answer(query: JournalQuery, unwritten: readonly SessionBatch[]): Promise<QueryResult> {
    try {
      const value = await database.use((opened) => {
        if (query.kind === 'found') return readFound(opened, query.after);
        if (query.kind === 'write-found') return writeFound(opened, query.rows, query.gone);
        const reader = createJournalReader(opened);
        const run = () => runQuery(reader, path, query);
        const found =
          unwritten.length === 0
            ? run()
            : opened.trial(() => {
                writeBatches(opened, unwritten);
                return run();
              });
        if (reader.unreadable > 0 && query.kind !== 'size') warnUnreadable(query.sessionId, reader.unreadable);
        return found;
      });
      return { ok: true, value };
    } catch (error) {
      return { ok: false, error: toBody(error) };
    }
  }

  /** Once: the number may be smaller for a part of the conversation. */
  function warnUnreadable(sessionId: SessionId, count: number): void {
    if (warnedOf.has(sessionId)) return;
    warnedOf.add(sessionId);
    warnings.push(`Entries of ${sessionId} in ${path} that could not be read and are left out: ${count}`);
  }

  function toBody(error: unknown): ErrorBody {
    if (error instanceof AppError) return toErrorBody(error);
    // SQLite itself cannot go on: the worker ends, and is started again.
    if (error instanceof Error && error.name === 'RuntimeError') throw error;
    const message = `The journal ${path} could not be used: ${messageOf(error)}. Check free space and permissions of the data directory.`;
    return { code: 'STORAGE_FAILED', message };
  }

  return {
    async handle({ batches, queries }) {
      const failure = await tryToWrite(batches);
      const unwritten = failure?.final === false ? batches : [];
      const results: QueryResult[] = [];
      for (const query of queries) results.push(await answer(query, unwritten));
      const response = { failure, results, warnings };
      warnings = [];
      return response;
    },
    tidy: database.tidy,
    close: database.close,
  };
}

/** The file system may do it later; a database of a newer version stays one. */
function worthAnotherTry(error: unknown): boolean {
  if (error instanceof AppError || isDatabaseError(error, 'failed')) return true;
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type SessionQuery = Exclude<JournalQuery, { readonly kind: 'found' | 'write-found' }>;

function runQuery(reader: JournalReader, path: string, query: SessionQuery): QueryAnswers[JournalQuery['kind']] {
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
