import type { AgentStatus, ProviderInfo } from '../../shared/entities.ts';
import type { CliType, SessionId } from '../../shared/ids.ts';
import type { ReceiptEvent, TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { HistoryGaps } from '../history-gaps.ts';
import type { TextGrowth } from '../streaming/text-item.ts';
import type { WhatRuns } from '../trust/index.ts';
import type { NativeFiles } from './native-files.ts';
import type { NativeListing } from './native-listing.ts';
import type { ForkPoint, Holders, KnownContext, NewestHistory, ToldList } from './native-sessions.ts';
import type { Access } from './permission.ts';

export interface CreateSessionOptions {
  readonly projectDir: string;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

export interface LoadSessionOptions {
  readonly projectDir: string;
  /**
   * No message was ever sent in this session. If the agent has no conversation for it, the session is empty and keeps
   * its id. Without this flag, a missing conversation is an error.
   */
  readonly neverUsed?: boolean;
  /** We keep the conversation ourselves: if the agent's own is missing, the session is opened all the same. */
  readonly isKept?: boolean;
  /** What an earlier load returned. If nothing has changed since, the conversation is not read again. */
  readonly stamp?: string | undefined;
}

export interface StoredSession {
  readonly projectDir: string;
  /** No message was ever sent in it, so that the agent has no conversation of it. */
  readonly neverUsed: boolean;
}

/**
 * Whether an agent has the title of a session: `later` if it can be told once it has the session open, `never` if it
 * keeps no titles.
 */
export type ToldTitle = 'told' | 'later' | 'never';

export interface ProviderSession {
  /** Canonical id, `{cliType}:{nativeId}`. Native ids do not leave a provider. */
  readonly sessionId: SessionId;
  readonly cliType: CliType;
  /** The conversation so far: finished items in order. Their ids are the same at every load. */
  readonly history: readonly UpsertObject[];
  /** Identifies the files that the history was read from, as they were. */
  readonly stamp?: string | undefined;
  /** Nothing has changed since the given stamp, or what we keep is all there is. `history` is empty. */
  readonly isCurrent?: true;
  /** The agent no longer has the conversation. `history` is empty. */
  readonly isMissing?: true;
}

export interface ReadHistoryOptions {
  readonly projectDir: string;
  /** Instead of the agent's own home directory. */
  readonly home?: string;
}

export type StoredHistory = Pick<ProviderSession, 'history' | 'stamp'>;

export interface SendMessageResult {
  readonly turnId: string;
}

export interface SendMessageOptions {
  /** Created by the server before the message is sent. The provider creates one if it is omitted. */
  readonly turnId?: string;
}

export interface ProviderStatus {
  readonly cliType: CliType;
  readonly status: AgentStatus;
  /** Set if the session has its own process. */
  readonly sessionId?: SessionId;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly retryInMs?: number;
  readonly message?: string;
}

export type Unsubscribe = () => void;

/** The conversations that an agent says it has. It is asked now and then while its process runs; none is started for it. */
export interface ToldSessions {
  onTold(callback: (list: ToldList) => void): Unsubscribe;
  /** The agent's own id of a session, which is not always part of the session's id. */
  idOf(sessionId: SessionId): string;
}

/**
 * All sessions of one agent. Session ids are canonical.
 *
 * Contract:
 * - `loadSession` rejects with SESSION_NOT_FOUND if the conversation is gone, unless we keep it; it never starts a new one.
 *   It never starts a process if the history is on disk or kept by us: looking at a session runs nothing.
 * - `warmUp` starts what the next message needs, returns at once and never fails: the message reports the error. Without
 *   it, the message starts the same.
 * - `sendMessage` resolves once the message is bound to its turn. The turn then ends exactly once, with `turn_complete`
 *   or `turn_error`. If it rejects, there is no turn and nothing was sent.
 * - Every message is first emitted as the upsert `${turnId}:user` (origin `user`, `complete`).
 * - `cancelTurn` does not queue. It ends every open turn of the session as `cancelled` within the grace period, rejects a
 *   send or load that waits for a process with CANCELLED, and aborts a start that nobody else waits for. It is a no-op if
 *   nothing is in progress.
 * - `killSession` does not queue either. It ends the process (or closes the session in a shared process), ends open turns
 *   as `cancelled`, and is a no-op for a session that is not loaded. A concurrent load waits for it and then opens the
 *   session again.
 * - A process that is not ready within the start timeout is ended, and its callers get AGENT_UNAVAILABLE with a sentence.
 * - A process that crashes first ends its turns with PROCESS_CRASH and then changes its status. It is restarted after 1,
 *   2, 4, 8 and 16 s, or at once by the next message.
 * - Background work outlives its turn. Its items stay open until the work ends or is stopped, or the process ends.
 * - A listener that throws affects neither the stream nor other listeners.
 * - No process starts in a directory whose settings would run something that is not trusted, except without them.
 *   Otherwise it is refused with PROJECT_NOT_TRUSTED. It is looked at again before every start.
 * - A method that rejects leaves no process behind.
 */
export interface CliProvider {
  readonly cliType: CliType;
  readonly label: string;

  createSession(options: CreateSessionOptions): Promise<ProviderSession>;
  loadSession(sessionId: SessionId, options: LoadSessionOptions): Promise<ProviderSession>;
  /**
   * Reads the conversation from the agent's files, or from a copy of its home directory, and starts nothing. Resolves to
   * undefined if it is not there, or is not kept in files.
   */
  readHistory(sessionId: SessionId, options: ReadHistoryOptions): Promise<StoredHistory | undefined>;
  sendMessage(sessionId: SessionId, message: string, options?: SendMessageOptions): Promise<SendMessageResult>;
  cancelTurn(sessionId: SessionId): Promise<void>;
  killSession(sessionId: SessionId): Promise<void>;
  /** Stops the background work of an item, or of the whole session. A no-op if there is none. */
  stopBackground(sessionId: SessionId, itemId?: string): Promise<void>;
  isAlive(sessionId: SessionId): boolean;
  /** What the user's own settings let the agent do in a loaded session, if that is known. */
  access(sessionId: SessionId): Access | undefined;

  /** `growth` is set where the text only grew, so that the change can be passed on without the whole. */
  onUpsert(sessionId: SessionId, callback: (upsert: UpsertObject, growth?: TextGrowth) => void): Unsubscribe;
  onTurn(sessionId: SessionId, callback: (event: TurnEvent) => void): Unsubscribe;
  /**
   * How far the message of a turn has come: `taken` when the agent has it, `requested` when the model has answered. Between
   * the user's message and the end of the turn; never goes back.
   */
  onReceipt(sessionId: SessionId, callback: (event: ReceiptEvent) => void): Unsubscribe;
  /** Status of the agent's process or processes, for every session of this provider. */
  onStatus(callback: (status: ProviderStatus) => void): Unsubscribe;
  /** The present statuses: one for a shared process, one per live session otherwise. */
  statuses(): readonly ProviderStatus[];
  /** Starts the process again after the retries ran out. For a shared process `sessionId` is not needed. */
  reconnect(sessionId?: SessionId): Promise<void>;

  readonly historyGaps?: HistoryGaps;
  /** Where the agent keeps its conversations. Absent if they are not in files of its own. */
  readonly nativeFiles?: NativeFiles;
  readonly listing?: NativeListing;
  /** For agents without such files. */
  readonly told?: ToldSessions;
  /** As the driver's. Undefined if it cannot tell. Nothing is started. */
  readNewest(sessionId: SessionId, projectDir: string): Promise<NewestHistory | undefined>;
  historyStamp(sessionId: SessionId, projectDir: string): Promise<string | undefined>;
  readContext(sessionId: SessionId, projectDir: string): Promise<KnownContext | undefined>;
  readonly holders?: Holders;
  /**
   * Ends the link of a loaded session to its agent, so that the next message begins with what is on disk: at once if the
   * session is idle, else after its turns and background work. Resolves when it has ended, or will later.
   */
  rest(sessionId: SessionId, reason: string): Promise<void>;
  /**
   * Copies a conversation. The copy is a session like any other and is not loaded. Rejects with FORK_UNSUPPORTED where the
   * agent cannot do that.
   */
  fork(sessionId: SessionId, options: ForkPoint & { readonly projectDir: string }): Promise<SessionId>;
  /** Tells the agent the title of a session, loaded or not. Never starts a process. */
  setTitle(sessionId: SessionId, title: string, stored: StoredSession): Promise<ToldTitle>;
  /**
   * Deletes the agent's own conversation of a session that is not loaded. May start a process for it. Resolves to a
   * sentence about what the agent keeps, if it keeps something. Rejects with SESSION_IN_USE if another process has the
   * session open.
   */
  deleteConversation(sessionId: SessionId, stored: StoredSession): Promise<string | undefined>;

  /** Lists what the settings of a directory would run in this agent. */
  readonly whatRuns: WhatRuns;
  /**
   * Makes the sessions in a directory follow what is trusted there now. An agent that runs without settings that are
   * trusted is ended when it has nothing to do; one that runs with settings that are not trusted is ended at once, its
   * turns as `cancelled`. The next message starts it as it should be.
   */
  followTrust(projectDir: string): Promise<void>;

  /** Whether the agent can be started here, and if not, what to do. Must not start it. */
  checkAvailability(): Promise<ProviderInfo>;
  /** Starts the agent of a loaded session ahead of its next message. A no-op for a session that is not loaded. */
  warmUp(sessionId: SessionId): void;
  /** Loads what a start needs, and starts nothing. Never rejects. */
  prepare(): Promise<void>;
  /** Ends all processes. Open turns end with PROCESS_CRASH. */
  close(): Promise<void>;
}
