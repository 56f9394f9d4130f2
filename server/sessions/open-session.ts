import type { SessionId } from '../../shared/ids.ts';
import type { EventMessage, HistoryMessage } from '../../shared/messages.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { CliProvider, ProviderSession } from '../engine/provider-types.ts';
import { createLiveSession } from './live-session.ts';
import type { Announce } from './session-events.ts';

/** A session that is in memory: its live state, fed by its provider and announced to the windows. */
export interface OpenSession {
  readonly provider: CliProvider;
  history(): HistoryMessage;
  isRunning(): boolean;
  /** The newest turn ended with an error. */
  hasFailed(): boolean;
  /**
   * Ends turns that are shown as running but of which nothing more can come: one whose message could not be sent after
   * all, or (without `turnId`) all of them, because the process is gone. A provider that keeps its contract has ended
   * them by then.
   */
  failTurns(error: { readonly code: string; readonly message: string }, turnId?: string): void;
  /** Stops listening to the provider. */
  release(): void;
}

export interface OpenSessionOptions {
  readonly sessionId: SessionId;
  readonly provider: CliProvider;
  readonly now: () => string;
  readonly announce: Announce;
  /** A turn began or ended. */
  readonly onActivity: () => void;
}

/**
 * Opens a session by `load`, listening to the provider from before the history is read, so that nothing emitted
 * meanwhile is lost: it is applied on top of the history, in place where the history has it already.
 */
export async function openSession(
  options: OpenSessionOptions,
  load: () => Promise<ProviderSession>,
): Promise<OpenSession> {
  const early: (() => void)[] = [];
  let ready = false;
  const whenReady = (apply: () => void) => {
    if (ready) apply();
    else early.push(apply);
  };
  const { sessionId, provider, announce } = options;
  const stops = [
    provider.onUpsert(sessionId, (upsert) => whenReady(() => takeUpsert(upsert))),
    provider.onTurn(sessionId, (event) => whenReady(() => takeTurn(event))),
  ];
  const release = () => {
    for (const stop of stops) stop();
  };

  const loaded = await load().catch((error: unknown) => {
    release();
    throw error;
  });
  const live = createLiveSession(loaded.history);
  const history = (): HistoryMessage => ({ type: 'session:history', sessionId, ...live.snapshot() });

  /** Announces what changed, then the activity, so that who hears of the latter knows the former. */
  function change(message: EventMessage, apply: () => boolean): void {
    const before = live.runningTurns().size;
    if (!apply()) return;
    announce({ to: 'session', sessionId, message });
    if (live.runningTurns().size !== before) options.onActivity();
  }

  function takeUpsert(upsert: UpsertObject): void {
    change({ type: 'session:upsert', sessionId, payload: upsert }, () => live.applyUpsert(upsert));
  }

  function takeTurn(event: TurnEvent): void {
    change({ type: 'session:turn', sessionId, payload: event }, () => live.applyTurn(event, options.now()));
  }

  announce({ to: 'session', sessionId, message: history() });
  ready = true;
  for (const apply of early) apply();

  return {
    provider,
    history,
    isRunning: () => live.runningTurns().size > 0,
    hasFailed: live.hasFailed,
    failTurns({ code, message }, only) {
      for (const turnId of [...live.runningTurns()]) {
        if ((only ?? turnId) !== turnId) continue;
        takeTurn({ type: 'turn_error', turnId, sessionId, errorCode: code, errorMessage: message });
      }
    },
    release,
  };
}
