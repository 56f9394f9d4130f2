import type { SessionId } from '../../../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { Clock } from '../../../clock.ts';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { createStreamCore, LIVE_BATCHING } from '../../../streaming/stream-core.ts';
import { initialLiveState } from './live-state.ts';
import { type NativeMessage, turnsNamedBy, type Untyped } from './native-messages.ts';
import { translate } from './translate-live.ts';
import { userItemId } from '../content/turn-scope.ts';

export interface SessionStreamOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly clock: Clock;
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
}

/** The conversation with one process: messages sent to it, and what comes of the messages it answers with. */
export interface SessionStream {
  /**
   * Announces a message that goes out. Resolves when the agent has named it, which binds it to its turn; rejects,
   * without a trace, when the stream ends before that.
   */
  expectTurn(turnId: string, content: string): Promise<void>;
  receive(message: NativeMessage): void;
  openTurns(): readonly string[];
  /** Messages on their way that the agent has not named yet. */
  expectedTurns(): readonly string[];
  /** Whether a tool is at work: then silence means nothing. */
  isToolRunning(): boolean;
  /** Settles when none of these messages is on its way and none of these turns is open any more. */
  whenEnded(turnIds: readonly string[]): Promise<void>;
  /** Ends a turn before the agent does; what the agent says about it later changes nothing. */
  endTurn(end: ActionOf<'turn_done' | 'turn_error'>): void;
  /** The end of the process: turns that are open fail, messages that are not bound are refused. */
  end(reason: { readonly code: string; readonly message: string }, refusal: Error): void;
}

interface Expected {
  readonly content: string;
  resolve(): void;
  reject(error: Error): void;
}

interface Waiter {
  readonly turnIds: readonly string[];
  resolve(): void;
}

export function createSessionStream(options: SessionStreamOptions): SessionStream {
  const { clock } = options;
  const core = createStreamCore({ ...options, batching: LIVE_BATCHING, emitArgumentUpdates: true });
  const expected = new Map<string, Expected>();
  const runningCalls = new Set<string>();
  let waiters: readonly Waiter[] = [];
  let state = initialLiveState;

  function apply(action: StreamAction, at?: string): void {
    core.apply(action, at);
    if (action.do === 'tool_start') runningCalls.add(action.callId);
    if (action.do === 'tool_done') runningCalls.delete(action.callId);
    if (action.do === 'turn_done' || action.do === 'turn_error') settle();
  }

  const isPending = (turnId: string) => expected.has(turnId) || core.openTurns().includes(turnId);

  function settle(): void {
    if (core.openTurns().length === 0) runningCalls.clear();
    const done = waiters.filter(({ turnIds }) => !turnIds.some(isPending));
    waiters = waiters.filter((waiter) => !done.includes(waiter));
    for (const waiter of done) waiter.resolve();
  }

  function bind(turnId: string): void {
    const message = expected.get(turnId);
    if (message === undefined) return;
    expected.delete(turnId);
    apply({ do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content: message.content });
    message.resolve();
  }

  return {
    expectTurn: (turnId, content) =>
      new Promise((resolve, reject) => {
        expected.set(turnId, { content, resolve, reject });
      }),
    receive(message) {
      for (const turnId of turnsNamedBy(message)) bind(turnId);
      const translated = translate(state, message);
      state = translated.state;
      const at = timeOf(message) ?? clock.now();
      for (const action of translated.actions) apply(action, at);
    },
    openTurns: () => core.openTurns(),
    expectedTurns: () => [...expected.keys()],
    isToolRunning: () => runningCalls.size > 0,
    whenEnded: (turnIds) =>
      new Promise((resolve) => {
        waiters = [...waiters, { turnIds, resolve }];
        settle();
      }),
    endTurn: (end) => apply(end),
    end(reason, refusal) {
      core.destroy(reason);
      for (const message of expected.values()) message.reject(refusal);
      expected.clear();
      settle();
    },
  };
}

/** When it happened, where the message tells. */
function timeOf({ timestamp }: Untyped): string | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
