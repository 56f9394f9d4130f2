import type { SessionId } from '../../shared/ids.ts';
import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import type { HistoryPage, PageLimits } from './history-page.ts';

/**
 * What was shown, kept on disk. The agents' transcripts say what the model knows; the journal says what the user saw.
 *
 * Contract:
 * - `record` returns at once. What was recorded is on disk within a second, even if nothing else happens.
 * - Reads see everything that was recorded before them, on disk or not.
 * - `durable` resolves when everything recorded before is on disk and survives a power failure. Rejects with
 *   STORAGE_FAILED; what was recorded is kept in memory and tried again.
 * - A change is whole or absent after a crash, and so is each call of `record`.
 */
export interface Journal {
  record(sessionId: SessionId, changes: readonly JournalChange[]): void;
  durable(): Promise<void>;
  /** Undefined if nothing of the session was ever recorded. */
  open(sessionId: SessionId, limits?: PageLimits): Promise<KeptSession | undefined>;
  /** The page before an item. Undefined if there is no such item. */
  page(sessionId: SessionId, before: string, limits?: PageLimits): Promise<HistoryPage | undefined>;
  /** Everything of a session. Empty if nothing was recorded. */
  read(sessionId: SessionId): Promise<KeptConversation>;
  hasTurn(sessionId: SessionId, turnId: string): Promise<boolean>;
  /** Replaces the conversation of a session as a whole. Resolves when it is on disk. */
  replace(sessionId: SessionId, conversation: KeptConversation, stamp: string | undefined): Promise<void>;
  /** Forgets a session. Resolves when that is on disk. */
  remove(sessionId: SessionId): Promise<void>;
  size(): Promise<JournalSize>;
  readonly found: FoundRows;
  close(): Promise<void>;
}

/** What is known of the agents' files, so that they need not be read again. Losing it costs only time. */
export interface FoundRows {
  /** At most 2,000 files in the order of their paths: those that come after a path, or the first ones. */
  read(after: string | undefined): Promise<readonly FoundRow[]>;
  /** Resolves when it is on disk. Rejects with STORAGE_FAILED, and then nothing has changed. */
  write(rows: readonly FoundRow[], gone: readonly string[]): Promise<void>;
}

export interface FoundRow {
  readonly path: string;
  /** What the file was like when it was read. */
  readonly stamp: string;
  /** The rules by which it was read. */
  readonly format: string;
  /** What they made of it, as JSON. Empty for a file that is not listed. */
  readonly body: string;
}

export type JournalChange =
  /** The present state of an item. Items are read in the order of their `position`; without one it stays where it is. */
  | {
      readonly kind: 'item';
      readonly upsert: UpsertObject;
      readonly position?: number | undefined;
      readonly seq: number;
    }
  /** The text of an item grew by `text` at the length `at`; otherwise it is as it was last recorded. */
  | {
      readonly kind: 'growth';
      readonly itemId: string;
      readonly at: number;
      readonly text: string;
      readonly emittedAt: string;
      readonly seq: number;
    }
  | { readonly kind: 'turn'; readonly turn: TurnSummary; readonly seq: number }
  /** A message that was refused: its turn and items are removed. */
  | { readonly kind: 'forget-turn'; readonly turnId: string };

export interface KeptSession {
  /** The newest page. */
  readonly page: HistoryPage;
  /** Greater than the position of every item. */
  readonly nextPosition: number;
  /** What the agent's transcript was when it was last read into the journal. */
  readonly stamp: string | undefined;
  /** Items or turns that had not ended when they were last recorded. */
  readonly hasUnfinished: boolean;
  /** A turn has completed, so the agent had the conversation. */
  readonly hasCompleted: boolean;
}

export interface KeptConversation {
  /** In order. */
  readonly entries: readonly UpsertObject[];
  /** In the order in which they began. */
  readonly turns: readonly TurnSummary[];
}

export interface JournalSize {
  readonly bytes: number;
  readonly items: number;
}
