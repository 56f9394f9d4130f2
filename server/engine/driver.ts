import type { ProviderInfo } from '../../shared/entities.ts';
import type { CliType, SessionId } from '../../shared/ids.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { HistoryGaps } from '../history-gaps.ts';
import type { StreamAction } from '../streaming/stream-actions.ts';
import type { WhatRuns } from '../trust/index.ts';
import type { NativeFiles } from './native-files.ts';
import type { NativeListing } from './native-listing.ts';
import type { ForkPoint, Holders, KnownContext, NewestHistory, ToldList } from './native-sessions.ts';
import type { Access, PermissionDecision, PermissionRequest } from './permission.ts';
import type { ProviderError } from './provider-errors.ts';
import type { ToldTitle } from './provider-types.ts';

/**
 * A driver is what the engine needs to know about one kind of agent: how to start it, talk to it and translate its
 * output. Session states, queues, turns, cancellation, deadlines, retries and sleep are not part of it: the engine
 * implements them once for all agents.
 */
export interface Driver {
  readonly cliType: CliType;
  readonly label: string;
  readonly traits: Traits;
  /** Whether the agent can be started here, and if not, what to do. Must not start it. */
  checkAvailability(): Promise<ProviderInfo>;
  /** Rejects with a ProviderError if a session could not start in this directory. Must not start anything. */
  checkStart(projectDir: string): Promise<void>;
  /** Lists what the settings of a directory would run in this agent. Must not start anything. */
  readonly whatRuns: WhatRuns;
  /** Loads what a start needs, ahead of time. Must not start anything. */
  prepare(): Promise<void>;
  /**
   * Starts the process of `session`, or the shared process if `session` is undefined. Resolves as soon as the process
   * runs, before it is ready. Leaves no process behind if it rejects or `signal` aborts.
   */
  launch(session: SessionTarget | undefined, signal: AbortSignal): Promise<AgentProcess>;
  /**
   * Reads the conversation from disk, for agents with `historyWithoutProcess`. Undefined if there is none. Must not start
   * anything. `home`: read from this directory instead of the agent's home, for agents with `nativeFiles`.
   */
  readHistory?(session: SessionTarget, home?: string): Promise<readonly UpsertObject[] | undefined>;
  /**
   * Changes whenever `readHistory` would read something else: as long as it is the same, the history is the same. Much
   * cheaper than reading. Undefined if there is no conversation.
   */
  historyStamp?(session: SessionTarget): Promise<string | undefined>;
  /** For agents that keep conversations in files of their own. */
  readonly nativeFiles?: NativeFiles;
  /** Where their conversations are and how their files are summarised, for the same agents. */
  readonly listing?: NativeListing;
  /**
   * The agent's own id of a session, which is not always part of the session's id. For agents whose process may tell which
   * conversations it has.
   */
  toldIdOf?(sessionId: SessionId): string;
  /**
   * Reads the newest turns, in about the same time for a file of any size. Undefined if there is no conversation, or if
   * they cannot be told from the rest without reading all of it. Must not start anything.
   */
  readNewest?(session: SessionTarget): Promise<NewestHistory | undefined>;
  /**
   * Works out from the agent's files what the model is given with the next message. Must not start anything. A conversation
   * that cannot be read is `unknown`, with the reason.
   */
  readContext?(session: SessionTarget): Promise<KnownContext>;
  /** For agents whose conversations other programs open as well. */
  readonly holders?: Holders;
  /**
   * Copies a conversation on disk, whether another program has it open or not. Resolves to the agent's id of the copy. Must
   * not start anything.
   */
  fork?(session: SessionTarget, at: ForkPoint): Promise<string>;
  /**
   * What the user's own settings let the agent do in a session, for agents that have such settings. Must not start
   * anything. What is in force in a running session is part of `OpenedSession`.
   */
  readAccess?(session: SessionTarget): Promise<Access>;
  /** Records what is shown in a session, for agents that do not store their conversations. */
  openRecord?(session: SessionTarget, notify: (text: string) => void): SessionRecord;
  /** Gives the stored conversation a title, for agents that keep titles on disk. Must not start anything. */
  setTitle?(session: SessionTarget, title: string): Promise<ToldTitle>;
  /**
   * Deletes the stored conversation, for agents whose conversations are on disk. No process of ours uses it. Resolves to
   * a sentence about what the agent keeps, if it keeps something. Rejects with SESSION_IN_USE if another process has it
   * open. Must not start anything.
   */
  deleteConversation?(session: SessionTarget): Promise<string | undefined>;
  /** Removes the data of a session that could not be started. */
  discard?(session: SessionTarget): void;
}

/** Declares how an agent differs from others. The engine checks these traits, never the agent's type. */
export interface Traits {
  /** One process serves all sessions. Otherwise each session has its own process and an id chosen by the engine. */
  readonly sharedProcess: boolean;
  /** History is read from disk. Otherwise the agent sends it when the session is opened. */
  readonly historyWithoutProcess: boolean;
  /** Messages can be sent while a turn runs. Otherwise the engine sends one at a time. */
  readonly takesMessagesWhileBusy: boolean;
  /** It can start without the settings of the project. Otherwise it does not start where they are not trusted. */
  readonly leavesOutProjectSettings: boolean;
  /** The engine keeps a warmed process for the next new session. */
  readonly spare: boolean;
  readonly historyGaps?: HistoryGaps;
  /** An open session keeps other programs out, so that it is closed this long after its last use, or earlier. */
  readonly closeIdleAfterMs?: number;
}

export interface SessionTarget {
  readonly sessionId: SessionId;
  readonly nativeId: string;
  readonly projectDir: string;
  /** The session has a conversation, so it must be resumed and never started afresh. */
  readonly wasUsed: boolean;
  /** Nothing of the project's own settings may be loaded. Set by the engine, for agents that can leave them out. */
  readonly withoutProjectSettings?: boolean;
}

/** A running process. */
export interface AgentProcess {
  /** Resolves when it can take messages without delay. Rejects with a ProviderError if it refuses to start. */
  readonly ready: Promise<void>;
  /** Resolves when the process and its descendants have ended and all output was delivered. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** False as soon as the process cannot be used any more, even if it has not ended yet. */
  isOpen(): boolean;
  /** Whether it has loaded the settings of its project. Set by the engine; absent for a shared process. */
  readonly withProjectSettings?: boolean;
  /** The end of its stderr, for error messages. */
  stderrTail(): string;
  /** Opens a session in it. Rejects with a ProviderError. */
  open(request: OpenRequest): Promise<OpenedSession>;
  /** Like those of the driver, for agents that do it in a process. */
  setTitle?(session: SessionTarget, title: string): Promise<ToldTitle>;
  deleteConversation?(session: SessionTarget): Promise<string | undefined>;
  fork?(session: SessionTarget, at: ForkPoint): Promise<string>;
  /** Asks it which conversations it has. Undefined if it does not tell. Never rejects. */
  listSessions?(): Promise<ToldList | undefined>;
  /** Asks it to end, and kills it after a grace period. */
  stop(reason: string): Promise<unknown>;
  /** Kills it at once. */
  kill(reason: string): Promise<unknown>;
}

export interface ProcessEnd {
  /** It was stopped, or had finished its work. */
  readonly isExpected: boolean;
  /** The error of its open turns. */
  readonly failure: Failure;
  /** The error of messages that the agent had not taken yet. */
  readonly refusal: ProviderError;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
}

export type OpenRequest =
  | { readonly mode: 'new'; readonly projectDir: string; readonly target?: SessionTarget }
  /** `load` returns the history, `resume` does not. */
  | { readonly mode: 'load' | 'resume'; readonly projectDir: string; readonly target: SessionTarget };

export interface OpenedSession {
  readonly nativeId: string;
  /** With `load`, unless the driver reads history from disk. */
  readonly history?: readonly UpsertObject[];
  /** The access with which it was opened. Default: normal. */
  readonly access?: Access;
  /** Connects the session to `sink`. Call it once, in the same tick. */
  attach(sink: SessionSink): Link;
  /** Call it instead of `attach` if the session is no longer wanted. */
  release?(): void;
}

/** The connection of one session to its agent. */
export interface Link {
  /** The agent could not open this session again, so it must not sleep. */
  readonly mustStayOpen?: boolean;
  /**
   * Sends a message. The driver reports `taken` once the agent has the message, before any other action of the turn. If
   * the process ends before that, the message counts as not sent.
   */
  prompt(turnId: string, content: string): void;
  /** Asks the agent to end its turns and to drop queued messages. Resolves to false if the agent cannot do that. */
  interrupt(): Promise<boolean>;
  /**
   * Makes sure that the agent does not continue turns that the engine has ended. Kills the process if there is no other
   * way.
   */
  abandon(turnIds: readonly string[], reason: string): Promise<unknown>;
  /** Actions that the translation held back for a turn that ends now. */
  flush?(turnId: string): readonly StreamAction[];
  /** Stops background work. */
  stopTask?(taskId: string): Promise<unknown>;
  /** Closes the session, and ends the process if it belongs to the session. */
  close(reason: string): Promise<unknown>;
}

/** Actions for the streaming core, and two for the engine. */
export type DriverAction =
  | StreamAction
  /** The agent has taken the message of this turn. */
  | { readonly do: 'taken'; readonly turnId: string }
  /**
   * The process cannot continue this conversation. The engine stops it after the running turns and starts another one.
   */
  | { readonly do: 'restart'; readonly reason: string };

/** Receives the reports of a link. The methods do not throw. */
export interface SessionSink {
  /** `at`: the time of the event, if the agent reports it. */
  apply(actions: readonly DriverAction[], at?: string): void;
  /** Resets the silence timeout. */
  touch(): void;
  /**
   * Asks for a permission. Resolves to undefined if the turn ends first. The silence timeout is suspended meanwhile.
   */
  ask(request: Omit<PermissionRequest, 'sessionId' | 'access'>): Promise<PermissionDecision | undefined>;
  /** Shows a notice to the user in the current turn or the next one. The number per turn is limited. */
  notify(text: string): void;
}

/** Records what is shown in a session. The methods do not throw. */
export interface SessionRecord {
  take(upsert: UpsertObject): void;
  endTurn(turnId: string): void;
  close(): void;
}

/** Runs a pure translation and keeps its state. */
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
