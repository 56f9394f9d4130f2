import type { SessionId } from '../../shared/ids.ts';
import type { HistoryMessage } from '../../shared/messages.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { CliProvider, ProviderSession } from '../providers/provider-types.ts';
import { createLiveSession } from './live-session.ts';
import type { Announce } from './session-events.ts';

/** A session that is in memory: its live state, fed by its provider and announced to the windows. */
export interface OpenSession {
  readonly provider: CliProvider;
  history(): HistoryMessage;
  isRunning(): boolean;
  /** Ends a turn whose message could not be sent after all, should anything of it have been shown. */
  failTurn(turnId: string, error: { code: string; message: string }): void;
  /** Stops listening to the provider. */
  release(): void;
}

export interface OpenSessionOptions {
  readonly sessionId: SessionId;
  readonly provider: CliProvider;
  readonly now: () => string;
  readonly announce: Announce;
  /** A turn began or ended. */
  readonly onActivity: (event: 'began' | 'ended') => void;
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

  function takeUpsert(upsert: UpsertObject): void {
    const before = live.runningTurns().size;
    live.applyUpsert(upsert);
    announce({ to: 'session', sessionId, message: { type: 'session:upsert', sessionId, payload: upsert } });
    if (live.runningTurns().size > before) options.onActivity('began');
  }

  function takeTurn(event: TurnEvent): void {
    if (!live.applyTurn(event, options.now())) return;
    announce({ to: 'session', sessionId, message: { type: 'session:turn', sessionId, payload: event } });
    options.onActivity(event.type === 'turn_started' ? 'began' : 'ended');
  }

  announce({ to: 'session', sessionId, message: history() });
  ready = true;
  for (const apply of early) apply();

  return {
    provider,
    history,
    isRunning: () => live.runningTurns().size > 0,
    failTurn(turnId, { code, message }) {
      if (!live.runningTurns().has(turnId)) return;
      takeTurn({ type: 'turn_error', turnId, sessionId, errorCode: code, errorMessage: message });
    },
    release,
  };
}
