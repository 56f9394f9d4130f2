import { AppError, type ErrorBody } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { HistoryPage, PageLimits } from './history-page.ts';
import type { FoundRow, JournalSize, KeptConversation, KeptSession } from './journal.ts';
import type { SessionBatch } from './pending-changes.ts';

export type JournalQuery =
  | { readonly kind: 'open'; readonly sessionId: SessionId; readonly limits: PageLimits | undefined }
  | {
      readonly kind: 'page';
      readonly sessionId: SessionId;
      readonly before: string;
      readonly limits: PageLimits | undefined;
    }
  | { readonly kind: 'read'; readonly sessionId: SessionId }
  | { readonly kind: 'has-turn'; readonly sessionId: SessionId; readonly turnId: string }
  | { readonly kind: 'size' }
  | { readonly kind: 'found'; readonly after: string | undefined }
  | { readonly kind: 'write-found'; readonly rows: readonly FoundRow[]; readonly gone: readonly string[] };

export interface QueryAnswers {
  readonly open: KeptSession | undefined;
  readonly page: HistoryPage | undefined;
  readonly read: KeptConversation;
  readonly 'has-turn': boolean;
  readonly size: JournalSize;
  readonly found: readonly FoundRow[];
  readonly 'write-found': undefined;
}

/** Writes the batches in one transaction, then answers the queries, as if the batches were written in any case. */
export interface JournalRequest {
  readonly batches: readonly SessionBatch[];
  readonly queries: readonly JournalQuery[];
}

export type QueryResult =
  | { readonly ok: true; readonly value: QueryAnswers[JournalQuery['kind']] }
  | { readonly ok: false; readonly error: ErrorBody };

export interface WriteFailure {
  readonly error: ErrorBody;
  /** Another try would fail as well. Batches of other sessions were written. Otherwise nothing may have been written. */
  readonly final: boolean;
}

export interface JournalResponse {
  readonly failure: WriteFailure | undefined;
  /** In the order of the queries. */
  readonly results: readonly QueryResult[];
  /** What the user should know. */
  readonly warnings: readonly string[];
}

/** Where the database is: in a worker or here. */
export interface JournalChannel {
  /** One at a time. Rejects if the worker has died, which may be before or after the batches were written. */
  send(request: JournalRequest): Promise<JournalResponse>;
  close(): Promise<void>;
}

export function toAppError({ code, message, details }: ErrorBody): AppError {
  return new AppError(code, message, { details });
}
