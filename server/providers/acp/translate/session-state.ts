import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { SessionUpdate } from './session-update.ts';
import type { Subagents } from './translate-subagent.ts';
import { waitedForCommands } from './translate-tool-call.ts';
import type { TranslationContext } from './translate-update.ts';
import type { TurnOutcome } from './turn-outcome.ts';
import type { TurnState } from './turn-state.ts';

/** What happens between us and the agent in one session. */
export type SessionEvent =
  /** The agent has the session in memory. */
  | { readonly kind: 'opened'; readonly modelId: string | undefined }
  | { readonly kind: 'prompted'; readonly turnId: string }
  /** `from` is the session of a sub-agent where it is about one. */
  | { readonly kind: 'update'; readonly update: SessionUpdate; readonly from?: string }
  | { readonly kind: 'answered'; readonly turnId: string; readonly outcome: TurnOutcome }
  /** The agent was asked to stop. */
  | { readonly kind: 'interrupted' }
  /** Someone asked for the end of background work. */
  | { readonly kind: 'stopping'; readonly taskId: string }
  /** The turn was ended here, whatever the agent makes of it. */
  | { readonly kind: 'ended'; readonly turnId: string }
  /** Nothing was reported for a while in a turn that the agent began by itself. */
  | { readonly kind: 'quiet' };

export interface SessionContext extends TranslationContext {
  /** For turns that the agent begins by itself. */
  readonly newTurnId: () => string;
}

export type NoticeUpdate = Extract<SessionUpdate, { sessionUpdate: 'notice' }>;
export type SubagentUpdate = Extract<SessionUpdate, { sessionUpdate: 'subagent_update' }>;

interface RunningTurn {
  readonly turn: TurnState;
  /**
   * False for a turn that the agent began by itself: it works towards a goal, or is late with the end of a turn. Such
   * reports get a turn of their own, so that nothing is lost and a turn that has ended does not change.
   */
  readonly isPrompted: boolean;
  readonly isInterrupted: boolean;
  /** The agent said that it works, so it will say when it is done. */
  readonly endsWithIdle: boolean;
}

/** What the translation remembers of a session. A state that was passed in must not be used again. */
export interface SessionState {
  readonly modelId: string | undefined;
  readonly running: RunningTurn | undefined;
  /** Prompted turns that were ended here. Until the agent answers their prompts, its reports belong to them. */
  readonly abandoned: ReadonlySet<string>;
  /** Calls of turns that have ended, updated in place. Late reports about them change nothing. */
  readonly pastCalls: Set<string>;
  /** The turns of calls that go on in the background after them, by call id. Updated in place. */
  readonly lastingCalls: Map<string, TurnState>;
  readonly subagents: Subagents;
  /** The message that a turn was cut short in. The rest of it is not shown. */
  readonly cutMessageId: string | undefined;
  /** Notices that came between turns. They are shown in the next one. */
  readonly waitingNotices: readonly NoticeUpdate[];
  /** The texts of all notices that came between turns, updated in place. Each is shown once in a session. */
  readonly seenNotices: Set<string>;
}

export interface SessionStep {
  readonly state: SessionState;
  readonly actions: readonly StreamAction[];
}

export function newSession(seenNotices: Set<string>): SessionState {
  return {
    modelId: undefined,
    running: undefined,
    abandoned: new Set(),
    pastCalls: new Set(),
    lastingCalls: new Map(),
    subagents: new Map(),
    cutMessageId: undefined,
    waitingNotices: [],
    seenNotices,
  };
}

/** A turn runs that the agent began by itself, it waits for nothing, and its end will not be told. */
export function mayBeOver({ running }: SessionState): boolean {
  if (running === undefined || running.isPrompted || running.endsWithIdle) return false;
  return running.turn.openCalls.all.size === 0;
}

/** The commands that the running turn, or this sub-agent, waits for. */
export function openCommands({ running, subagents }: SessionState, subagentId?: string): string[] {
  const turn = subagentId === undefined ? running?.turn : subagents.get(subagentId)?.turn;
  return turn === undefined ? [] : waitedForCommands(turn);
}

export function unchanged(state: SessionState): SessionStep {
  return { state, actions: [] };
}

/** One step of a translation after another. */
export function andThen({ state, actions }: SessionStep, next: (state: SessionState) => SessionStep): SessionStep {
  const following = next(state);
  return { state: following.state, actions: [...actions, ...following.actions] };
}
