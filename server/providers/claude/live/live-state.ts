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

/** A block of the message that is being streamed, until the agent repeats it whole. */
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

/** Who works under a tool call. */
export interface SubAgent {
  readonly turnId: string;
  readonly itemId: string;
  readonly message: WholeMessage | undefined;
  /** What it said last. */
  readonly report: Report | undefined;
}

/** A call that Claude Code follows as a task. */
export interface BackgroundTask {
  readonly callId: string;
  readonly turnId: string;
  readonly description: string;
  readonly isAgent: boolean;
  readonly isMonitor: boolean;
  readonly isBackground: boolean;
  /** A sub-agent started it, and is told when it ends instead of the conversation. */
  readonly isInner: boolean;
  /** What a shell has written so far. */
  readonly output: string;
}

/** Something that ended and that the model was not told yet. */
export interface Cause {
  readonly runId: string | undefined;
  readonly text: string;
  readonly isStop: boolean;
}

export interface LiveState {
  /** The turn that new items belong to; none between turns. */
  readonly turn: TurnScope | undefined;
  /** The turn that the agent began by itself and that has not ended. */
  readonly ownTurnId: string | undefined;
  readonly modelId: string | undefined;
  readonly streamed: StreamedMessage | undefined;
  readonly whole: WholeMessage | undefined;
  /** By the id of their call. */
  readonly subAgents: ReadonlyMap<string, SubAgent>;
  /** Messages that the last compaction kept: the agent may say them again. */
  readonly keptMessages: ReadonlySet<string>;
  readonly isInterrupted: boolean;
  /** The words of an API error, until the result tells what became of it. */
  readonly apiError: string | undefined;
  /** By their ids, until they end. */
  readonly tasks: ReadonlyMap<string, BackgroundTask>;
  /** Why the agent may begin turns by itself, oldest first. */
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

/** A turn that is running already goes on: its numbering must not begin anew. */
export function enterTurn(state: LiveState, turnId: string): StateInTurn {
  const { turn, ownTurnId } = state;
  if (turn?.turnId === turnId) return { ...state, turn };
  return { ...state, ...BETWEEN_TURNS, ownTurnId, turn: openScope(turnId) };
}

export const leaveTurn = (state: LiveState): LiveState => ({ ...state, ...BETWEEN_TURNS });

/** A notice of the system in the running turn. Between turns there is nowhere to show it. */
export function addNotice(state: LiveState, kind: NoticeKind, content: string): Translation<LiveState> {
  if (state.turn === undefined || content === '') return translation(state);
  const { scope, itemId } = nextNotice(state.turn, kind);
  return translation(
    { ...state, turn: scope },
    { do: 'message', turnId: scope.turnId, itemId, origin: 'system', content },
  );
}
