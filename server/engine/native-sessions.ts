import type { Branch, Context, Holder } from '../../shared/entities.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';

/** The newest turns of a conversation, from the beginning of a turn on. */
export interface NewestHistory {
  /** With the same ids as in the whole history. */
  readonly history: readonly UpsertObject[];
  /** Nothing comes before. */
  readonly isWhole: boolean;
  /** That of the whole history. */
  readonly stamp: string | undefined;
}

/** What the model is given with the next message, and what the agent has of the conversation besides. */
export interface KnownContext {
  readonly context: Context;
  /** Newest first. */
  readonly branches: readonly Branch[];
}

/** Where a copy of a conversation ends. Without both: where the agent would go on. */
export interface ForkPoint {
  /** The id of a branch. */
  readonly branch?: string | undefined;
  /** The last item that the copy has. */
  readonly itemId?: string | undefined;
}

/** Which other programs have conversations of an agent open. Never one of our own processes. Nothing here rejects. */
export interface Holders {
  find(nativeId: string): Promise<Holder | undefined>;
  /** All of them, by the agent's own id of the conversation. */
  all(): Promise<ReadonlyMap<string, Holder>>;
  /** Calls `listener` when they may have changed. Returns a function that ends it. */
  watch(listener: () => void): () => void;
}

/** Which conversations an agent says that it has. Each once. */
export interface ToldList {
  readonly sessions: readonly ToldSession[];
  /** It has no others. */
  readonly isWhole: boolean;
}

export interface ToldSession {
  /** The agent's own id of the conversation. */
  readonly nativeId: string;
  readonly cwd: string;
  /** Empty if it has none. */
  readonly title: string;
  /** Undefined if the agent does not say. */
  readonly lastMessageAt: string | undefined;
}

/** What the beginning and the end of an agent's file say of a conversation. */
export interface NativeSummary {
  /** The agent's own id of the conversation. */
  readonly nativeId: string;
  /** Where it was begun. */
  readonly cwd: string;
  /** The title that was given to it, else the beginning of its first message. */
  readonly title: string;
  /** Somebody gave it the title. */
  readonly isTitleGiven: boolean;
  readonly createdAt: string;
  /** The time of its last message. */
  readonly lastMessageAt: string;
  /** It was begun by a program or a single command, not by a conversation. */
  readonly isRun: boolean;
}
