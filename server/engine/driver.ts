import type { ProviderInfo } from '../../shared/entities.ts';
import type { CliType, SessionId } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { StreamAction } from '../streaming/stream-actions.ts';
import type { PermissionDecision, PermissionRequest } from './permission.ts';
import type { ProviderError } from './provider-errors.ts';

/**
 * A driver is everything the engine needs to know about one kind of agent: how to start it, talk to it and read what it
 * says. It holds no session life of its own. States, queues, turns, cancelling, deadlines, retries and sleep belong to
 * the engine and exist once.
 */
export interface Driver {
  readonly cliType: CliType;
  readonly label: string;
  readonly traits: Traits;
  /** Whether the agent can be started here, and if not, what to do. Must not start it. */
  checkAvailability(): Promise<ProviderInfo>;
  /** Rejects with a ProviderError where a session in this directory could not start. Must not start anything. */
  checkStart(projectDir: string): Promise<void>;
  /** Loads what a start needs, off its path. */
  prepare(): Promise<void>;
  /**
   * Starts a process: the one of `session`, or the shared one, for which `session` is undefined. Resolves as soon as it
   * runs; it may still be getting ready. When it rejects or `signal` aborts before it resolves, nothing is left.
   */
  launch(session: SessionTarget | undefined, signal: AbortSignal): Promise<AgentProcess>;
  /** The conversation on the disk, for agents with `historyWithoutProcess`. Undefined where there is none. */
  readHistory?(session: SessionTarget): Promise<readonly UpsertObject[] | undefined>;
  /** For agents that keep no conversation themselves: gets everything that is shown in a session. */
  openRecord?(session: SessionTarget, notify: (text: string) => void): SessionRecord;
  /** Removes what `createSession` left when the session could not be started after all. */
  discard?(session: SessionTarget): void;
}

/** What differs between agents, declared. The engine asks for these, never for a name. */
export interface Traits {
  /** One process serves all sessions. Otherwise each session has its own, under an id that the engine chooses. */
  readonly sharedProcess: boolean;
  /** History is read from the disk. Otherwise the agent tells it when the session is opened. */
  readonly historyWithoutProcess: boolean;
  /** A message may go out while a turn runs. Otherwise the engine sends one at a time. */
  readonly takesMessagesWhileBusy: boolean;
  /** Loading a session starts its process, so that it is ready when a message comes. */
  readonly wakesOnLoad: boolean;
  /** Worth a warmed process for the next new session. */
  readonly spare: boolean;
}

export interface SessionTarget {
  readonly sessionId: SessionId;
  readonly nativeId: string;
  readonly projectDir: string;
  /** There is a conversation. It must never begin anew. */
  readonly wasUsed: boolean;
}

/** One process, from its start to its end. */
export interface AgentProcess {
  /** Settles when it can take messages without delay. Rejects with a ProviderError where it refuses to start. */
  readonly ready: Promise<void>;
  /** Settles when nothing is left of it and all it said was passed on. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** It can be talked to. False from when that is known, although it may take a moment to end. */
  isOpen(): boolean;
  /** The last words on its stderr, for messages. */
  stderrTail(): string;
  /** Opens a session in it. Rejects with a ProviderError. */
  open(request: OpenRequest): Promise<OpenedSession>;
  /** Ends it: first by asking, then by force. */
  stop(reason: string): Promise<unknown>;
  /** Ends it at once. */
  kill(reason: string): Promise<unknown>;
}

export interface ProcessEnd {
  /** It was asked to end, or had nothing left to do. */
  readonly isExpected: boolean;
  /** Why the turns end that were open. */
  readonly failure: Failure;
  /** Why a message is refused that had not been taken yet. */
  readonly refusal: ProviderError;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export type OpenRequest =
  | { readonly mode: 'new'; readonly projectDir: string; readonly target?: SessionTarget }
  /** `load` comes with the history, `resume` without it. */
  | { readonly mode: 'load' | 'resume'; readonly projectDir: string; readonly target: SessionTarget };

export interface OpenedSession {
  readonly nativeId: string;
  /** With `load`, unless the driver reads history from the disk. */
  readonly history?: readonly UpsertObject[];
  /** From now on the agent's reports about this session go to `sink`. To be called once, in the same tick. */
  attach(sink: SessionSink): Link;
  /** Instead of `attach`, where the session is not wanted any more. */
  release?(): void;
}

/** One session's connection to its agent. */
export interface Link {
  /** The agent could not open this session again, so it never sleeps. */
  readonly mustStayOpen?: boolean;
  /**
   * Sends a message. The driver reports `taken` for its turn once the agent has it, at the latest when anything else
   * happens in that turn; when the process ends before that, the message counts as not sent.
   */
  prompt(turnId: string, content: string): void;
  /** Asks the agent to end its turns and drop what it has queued. Answers false where it cannot be asked. */
  interrupt(): Promise<boolean>;
  /**
   * The engine has ended these turns although the agent has not: nothing of them may go on or show. Ends the process
   * where it has no other way.
   */
  abandon(turnIds: readonly string[], reason: string): Promise<unknown>;
  /** What the translation still holds back about a turn that ends now. */
  flush?(turnId: string): readonly StreamAction[];
  /** Stops background work. */
  stopTask?(taskId: string): Promise<unknown>;
  /** Lets go of the session, and ends the process where it is the session's own. */
  close(reason: string): Promise<unknown>;
}

/** What a translation may ask for: of the core, or of the engine itself. */
export type DriverAction =
  | StreamAction
  /** The agent has the message of this turn. */
  | { readonly do: 'taken'; readonly turnId: string }
  /** The process cannot go on with this conversation: it is ended with the running turns and started anew. */
  | { readonly do: 'restart'; readonly reason: string };

/** Where a link reports to. None of this throws. */
export interface SessionSink {
  /** `at`: when it happened, where the agent tells. */
  apply(actions: readonly DriverAction[], at?: string): void;
  /** A sign of life without anything to show. */
  touch(): void;
  /** Undefined when nobody waits for the answer any more. Waiting for it does not count as silence of the agent. */
  ask(request: Omit<PermissionRequest, 'sessionId'>): Promise<PermissionDecision | undefined>;
  /** A complaint about the agent that the user gets to see, in the running turn or the next one. A few per turn. */
  notify(text: string): void;
}

/** Keeps what is shown in a session. None of this throws. */
export interface SessionRecord {
  take(upsert: UpsertObject): void;
  endTurn(turnId: string): void;
  close(): void;
}

/** Applies a pure translation, keeping its state. */
export function createTranslator<State, Event>(
  initial: State,
  translate: (state: State, event: Event) => { readonly state: State; readonly actions: readonly DriverAction[] },
): (event: Event) => readonly DriverAction[] {
  let state = initial;
  return (event) => {
    const translated = translate(state, event);
    state = translated.state;
    return translated.actions;
  };
}
