import type { Clock } from '../../clock.ts';
import { type SilenceWatch, startSilenceWatch } from '../../engine/silence-watch.ts';
import type { StreamAction } from '../../streaming/stream-actions.ts';
import type { SessionUpdate } from './session-update.ts';
import { type TranslationContext, translateUpdate } from './translate-update.ts';
import { endTurn, type TurnOutcome } from './turn-outcome.ts';
import { newTurn, type TurnState } from './turn-state.ts';

/** A turn between its start and its end. */
export interface RunningTurn {
  readonly turnId: string;
  readonly isOver: boolean;
  /** Resolves when it is over. */
  readonly ended: Promise<void>;
  /** Aborts when what the agent still asks for is no longer wanted. */
  readonly signal: AbortSignal;
  apply(update: SessionUpdate): void;
  /** Asks someone something; the wait does not count as silence of the agent. */
  waitFor<T>(answer: Promise<T>): Promise<T>;
  /** The user wants no more of it; the agent has yet to answer. */
  abort(): void;
  /** The first end counts. */
  end(outcome: TurnOutcome): void;
  /** What it left behind: late reports about it are recognised by this. */
  state(): TurnState;
}

export interface RunningTurnOptions {
  readonly turnId: string;
  readonly context: TranslationContext;
  readonly apply: (action: StreamAction) => void;
  readonly clock: Clock;
  readonly silenceLimitMs: number;
  readonly onSilence: () => void;
}

export function startTurn(options: RunningTurnOptions): RunningTurn {
  const { turnId, context, clock } = options;
  const aborter = new AbortController();
  let state = newTurn(turnId);
  let questions = 0;
  let isOver = false;
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const watch: SilenceWatch = startSilenceWatch({
    clock,
    limitMs: options.silenceLimitMs,
    isExcused: () => questions > 0 || [...state.calls.values()].some(({ status }) => status === 'open'),
    onSilence: options.onSilence,
  });

  return {
    turnId,
    get isOver() {
      return isOver;
    },
    ended,
    signal: aborter.signal,
    apply(update) {
      watch.touch();
      const step = translateUpdate(state, update, context);
      state = step.state;
      for (const action of step.actions) options.apply(action);
    },
    async waitFor(answer) {
      questions += 1;
      try {
        return await answer;
      } finally {
        questions -= 1;
        watch.touch();
      }
    },
    abort: () => aborter.abort(),
    end(outcome) {
      if (isOver) return;
      isOver = true;
      watch.stop();
      aborter.abort();
      for (const action of endTurn(state, outcome, context)) options.apply(action);
      resolveEnded();
    },
    state: () => state,
  };
}
