import type { SessionId } from '../../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Clock } from '../../clock.ts';
import type { StreamAction } from '../../streaming/stream-actions.ts';
import { createStreamCore, LIVE_BATCHING } from '../../streaming/stream-core.ts';
import { initialLiveState } from './live-state.ts';
import { type NativeMessage, turnsNamedBy, type Untyped } from './native-messages.ts';
import { translate } from './translate-live.ts';
import { userItemId } from './turn-scope.ts';

export interface SessionStreamOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly clock: Clock;
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
  /** Told of everything that the core is asked to do, after it has done it. */
  readonly onAction?: (action: StreamAction) => void;
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
  /** Ends one turn before the agent does; what the agent says about it later changes nothing. */
  endTurn(end: Extract<StreamAction, { do: 'turn_done' | 'turn_error' }>): void;
  /** The end of the process: turns that are open fail, messages that are not bound are refused. */
  end(reason: { readonly code: string; readonly message: string }, refusal: Error): void;
}

interface Expected {
  readonly content: string;
  resolve(): void;
  reject(error: Error): void;
}

export function createSessionStream(options: SessionStreamOptions): SessionStream {
  const { clock, onAction = () => {} } = options;
  const core = createStreamCore({ ...options, batching: LIVE_BATCHING, emitArgumentUpdates: true });
  const expected = new Map<string, Expected>();
  let state = initialLiveState;

  const apply = (action: StreamAction, at?: string) => {
    core.apply(action, at);
    onAction(action);
  };

  function bind(turnId: string): void {
    const message = expected.get(turnId);
    if (message === undefined) return;
    expected.delete(turnId);
    const { content } = message;
    apply({ do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content });
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
    endTurn: (end) => apply(end),
    end(reason, refusal) {
      core.destroy(reason);
      for (const message of expected.values()) message.reject(refusal);
      expected.clear();
    },
  };
}

function timeOf({ timestamp }: Untyped): string | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
