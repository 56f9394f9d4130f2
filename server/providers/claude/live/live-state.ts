import type { ContentBlock } from '../content/content-blocks.ts';
import { type Translation, translation } from '../content/translation.ts';
import {
  type NoticeKind,
  nextNotice,
  openScope,
  type Report,
  type TurnScope,
  type WholeMessage,
} from '../content/turn-scope.ts';

/** A streamed block, until the agent repeats it as a whole. */
export interface StreamedBlock {
  readonly index: number;
  readonly itemId: string;
  readonly kind: ContentBlock['kind'];
  readonly isConfirmed: boolean;
}

export interface StreamedMessage {
  readonly id: string;
  readonly ordinal: number;
  readonly blocks: readonly StreamedBlock[];
}

/** The sub-agent of a tool call. */
export interface SubAgent {
  readonly turnId: string;
  readonly itemId: string;
  readonly message: WholeMessage | undefined;
  /** Its last text. */
  readonly report: Report | undefined;
}

/** A tool call that Claude Code reports on as a task. */
export interface BackgroundTask {
  readonly callId: string;
  readonly turnId: string;
  readonly description: string;
  readonly isAgent: boolean;
  readonly isMonitor: boolean;
  readonly isBackground: boolean;
  /** Started by a sub-agent, which is notified of its end instead of the conversation. */
  readonly isInner: boolean;
  /** What a shell has written so far. */
  readonly output: string;
}

/** The end of a task that the model has not been notified of yet. */
export interface Cause {
  readonly runId: string | undefined;
  readonly text: string;
  readonly isStop: boolean;
}

export interface LiveState {
  /** The turn that new items belong to. Undefined between turns. */
  readonly turn: TurnScope | undefined;
  /** The open turn that the agent started by itself. */
  readonly ownTurnId: string | undefined;
  readonly modelId: string | undefined;
  readonly streamed: StreamedMessage | undefined;
  readonly whole: WholeMessage | undefined;
  /** By call id. */
  readonly subAgents: ReadonlyMap<string, SubAgent>;
  /** Uuids of messages that the last compaction kept. The agent may repeat them. */
  readonly keptMessages: ReadonlySet<string>;
  readonly isInterrupted: boolean;
  /** The text of an API error, until the result says whether it failed the turn. */
  readonly apiError: string | undefined;
  /** Running tasks by id. */
  readonly tasks: ReadonlyMap<string, BackgroundTask>;
  /** Reasons for which the agent may start turns by itself, oldest first. */
  readonly causes: readonly Cause[];
}

const BETWEEN_TURNS = {
  turn: undefined,
  ownTurnId: undefined,
  streamed: undefined,
  whole: undefined,
  isInterrupted: false,
  apiError: undefined,
} as const;

export const initialLiveState: LiveState = {
  ...BETWEEN_TURNS,
  modelId: undefined,
  subAgents: new Map(),
  keptMessages: new Set(),
  tasks: new Map(),
  causes: [],
};

export type StateInTurn = LiveState & { readonly turn: TurnScope };

/** Entering the running turn keeps its state, so that its numbering continues. */
export function enterTurn(state: LiveState, turnId: string): StateInTurn {
  const { turn, ownTurnId } = state;
  if (turn?.turnId === turnId) return { ...state, turn };
  return { ...state, ...BETWEEN_TURNS, ownTurnId, turn: openScope(turnId) };
}

export const leaveTurn = (state: LiveState): LiveState => ({ ...state, ...BETWEEN_TURNS });

/** Adds a system notice to the running turn. Between turns it is dropped. */
export function addNotice(state: LiveState, kind: NoticeKind, content: string): Translation<LiveState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  return translation(
    { ...state, turn: scope },
    { do: 'message', turnId: scope.turnId, itemId, origin: 'system', content },
  );
}
