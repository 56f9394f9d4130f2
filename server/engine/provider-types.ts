import type { AgentStatus, ProviderInfo } from '../../shared/entities.ts';
import type { CliType, SessionId } from '../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { TextGrowth } from '../streaming/text-item.ts';

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
 * - `cancelTurn` overtakes everything: it ends every open turn of the session as `cancelled` within the grace, makes a
 *   send or load that waits for a process reject with CANCELLED, and calls off a start that nobody else waits for. It
 *   is a no-op when nothing is under way.
 * - `killSession` overtakes everything too: it ends the process (or closes the session where the process is shared),
 *   ends open turns as `cancelled`, and is a no-op for a session that is not loaded. A load that comes meanwhile waits
 *   for it and then opens the session again.
 * - A process that does not get ready within the start timeout is ended, and whoever waits for it gets
 *   AGENT_UNAVAILABLE with a sentence.
 * - A process that dies ends its turns with PROCESS_CRASH first and is reported by its status after that. It is started
 *   again after 1, 2, 4, 8 and 16 s, or at once by the next message.
 * - Background work outlives its turn: its items stay open until the work ends, is stopped, or the process ends.
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
  /** Stops background work: that of one item, or all of the session. A no-op where there is none. */
  stopBackground(sessionId: SessionId, itemId?: string): Promise<void>;
  isAlive(sessionId: SessionId): boolean;

  /** `growth` is set where the text only grew, so that the change can be passed on without the whole. */
  onUpsert(sessionId: SessionId, callback: (upsert: UpsertObject, growth?: TextGrowth) => void): Unsubscribe;
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
