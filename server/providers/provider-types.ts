import type { AgentStatus, ProviderInfo } from '../../shared/entities.ts';
import type { CliType, SessionId } from '../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';

export interface CreateSessionOptions {
  readonly projectDir: string;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

export interface LoadSessionOptions {
  readonly projectDir: string;
  /**
   * No message was ever sent in this session, so an agent that keeps nothing before the first one has nothing to load:
   * the session is then empty, under the same id. Without it a missing conversation is an error.
   */
  readonly neverUsed?: boolean;
}

export interface ProviderSession {
  /** Canonical id, `{cliType}:{nativeId}`: the only form that leaves a provider. */
  readonly sessionId: SessionId;
  readonly cliType: CliType;
  /** The conversation so far, finished items in order with ids that are the same at every load. */
  readonly history: readonly UpsertObject[];
}

export interface SendMessageResult {
  readonly turnId: string;
}

export interface SendMessageOptions {
  /** Made by the server before the message goes out; the provider makes one where it is not given. */
  readonly turnId?: string;
}

export interface ProviderStatus {
  readonly cliType: CliType;
  readonly status: AgentStatus;
  /** Set where one session has a process of its own. */
  readonly sessionId?: SessionId;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly retryInMs?: number;
  readonly message?: string;
}

export type Unsubscribe = () => void;

/**
 * One kind of agent. Ids are canonical in both directions.
 *
 * Contracts:
 * - `loadSession` of a session whose conversation is gone rejects with SESSION_NOT_FOUND; it never starts a fresh one.
 *   It answers as soon as the history is known and does not wait for a process where the history does not need one.
 * - `sendMessage` resolves once the message is bound to its turn. From then on that turn ends exactly once, by
 *   `turn_complete` or `turn_error`; when it rejects, no turn exists and nothing was sent.
 * - Every message sent is first emitted as the upsert `${turnId}:user` (origin `user`, `complete`).
 * - `cancelTurn` ends every open turn of the session as `cancelled`; it is a no-op when none is open.
 * - `killSession` ends the process (or lets go of the session where the process is shared), ends open turns, and is a
 *   no-op for a session that is not loaded. Afterwards the session can be loaded again.
 * - A listener that throws breaks neither the stream nor another listener.
 * - No method leaves a process behind when it rejects.
 */
export interface CliProvider {
  readonly cliType: CliType;
  readonly label: string;

  createSession(options: CreateSessionOptions): Promise<ProviderSession>;
  loadSession(sessionId: SessionId, options: LoadSessionOptions): Promise<ProviderSession>;
  sendMessage(sessionId: SessionId, message: string, options?: SendMessageOptions): Promise<SendMessageResult>;
  cancelTurn(sessionId: SessionId): Promise<void>;
  killSession(sessionId: SessionId): Promise<void>;
  isAlive(sessionId: SessionId): boolean;

  onUpsert(sessionId: SessionId, callback: (upsert: UpsertObject) => void): Unsubscribe;
  onTurn(sessionId: SessionId, callback: (event: TurnEvent) => void): Unsubscribe;
  /** Status of the agent's process or processes, for every session of this provider. */
  onStatus(callback: (status: ProviderStatus) => void): Unsubscribe;
  /** The present statuses: one for a shared process, one per live session otherwise. */
  statuses(): readonly ProviderStatus[];
  /** Starts the process again after the retries ran out. For a shared process `sessionId` is not needed. */
  reconnect(sessionId?: SessionId): Promise<void>;

  /** Whether the agent can be started here, and if not, what to do. Must not start it. */
  checkAvailability(): Promise<ProviderInfo>;
  /** Starts what can be started ahead of need. Never rejects. */
  warmUp(): Promise<void>;
  /** Ends all processes. Open turns end with PROCESS_CRASH. */
  close(): Promise<void>;
}
