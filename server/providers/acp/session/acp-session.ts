import type { Clock } from '../../../clock.ts';
import type { Link, SessionSink } from '../../../engine/driver.ts';
import { type SilenceWatch, startSilenceWatch } from '../../../engine/silence-watch.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { type AgentNaming, isErrorResponse, toProviderError } from '../connection/acp-errors.ts';
import type { AskPermission } from '../connection/permission.ts';
import type { SessionUpdate } from '../translate/session-update.ts';
import { mayBeOver, newSession, type SessionEvent, translateSession } from '../translate/translate-session.ts';
import type { TurnOutcome } from '../translate/turn-outcome.ts';
import type { ProjectFiles } from '../workspace/project-files.ts';
import type { Terminals } from '../workspace/terminals.ts';
import type { SessionMemory } from './session-memory.ts';

/** How long a turn that the agent began by itself may be quiet before it counts as over. */
const QUIET_MS = 2_000;

/** A session that the agent has in memory. */
export interface AcpSession {
  readonly nativeId: string;
  readonly files: ProjectFiles;
  readonly terminals: Terminals;
  readonly isAttached: boolean;
  /** Updates that come before the session is attached wait for it. */
  receive(update: SessionUpdate): void;
  readonly ask: AskPermission;
  attach(sink: SessionSink, memory: SessionMemory, modelId: string | undefined): Link;
  /** From now on nothing is reported. A turn that still runs is cancelled. */
  detach(): void;
}

export interface AcpSessionOptions {
  readonly nativeId: string;
  readonly connection: Pick<AcpConnection, 'dialect' | 'can' | 'prompt' | 'cancel' | 'isClosed'>;
  readonly naming: AgentNaming;
  readonly files: ProjectFiles;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Gets a promise for each prompt, which resolves when its answer was passed on. */
  readonly onPrompt: (answered: Promise<void>) => void;
  /** Closes the session at the agent. Never rejects. */
  readonly close: (session: AcpSession) => Promise<void>;
}

export function createAcpSession(options: AcpSessionOptions): AcpSession {
  const { nativeId, connection, naming, files, terminals, clock } = options;
  const { dialect, can } = connection;
  const context = { dialect, readTerminal: terminals.read, isReplay: false, newTurnId: options.newId };
  const early: SessionUpdate[] = [];
  let state = newSession(new Set());
  let sink: SessionSink | undefined;
  let memory: SessionMemory | undefined;
  let quiet: SilenceWatch | undefined;
  let openAsks = 0;

  function apply(event: SessionEvent): void {
    if (sink === undefined) return;
    const step = translateSession(state, event, context);
    state = step.state;
    watchQuiet();
    if (step.actions.length > 0) sink.apply(step.actions);
    else sink.touch();
  }

  function watchQuiet(): void {
    if (state.running?.isPrompted !== false) {
      quiet?.stop();
      quiet = undefined;
      return;
    }
    quiet?.touch();
    quiet ??= startSilenceWatch({
      clock,
      limitMs: QUIET_MS,
      isExcused: () => openAsks > 0 || !mayBeOver(state),
      onSilence() {
        quiet = undefined;
        apply({ kind: 'quiet' });
      },
    });
  }

  async function prompt(turnId: string, content: string): Promise<void> {
    const outcome = await connection.prompt(nativeId, content).then(
      (response): TurnOutcome => ({ by: 'answer', ...response }),
      (error: unknown): TurnOutcome | undefined => {
        // The end of the process ends the turn and says why.
        if (connection.isClosed() && !isErrorResponse(error)) return undefined;
        const { code, message } = toProviderError(error, naming);
        return { by: 'refusal', code, message };
      },
    );
    if (outcome !== undefined) apply({ kind: 'answered', turnId, outcome });
  }

  const link: Link = {
    mustStayOpen: !can.load && !can.resume,
    prompt(turnId, content) {
      if (memory !== undefined) memory.wasPrompted = true;
      apply({ kind: 'prompted', turnId });
      options.onPrompt(prompt(turnId, content));
    },
    async interrupt() {
      if (state.running?.isInterrupted !== true) connection.cancel(nativeId);
      apply({ kind: 'interrupted' });
      return true;
    },
    async abandon() {
      connection.cancel(nativeId);
    },
    flush(turnId) {
      const step = translateSession(state, { kind: 'ended', turnId }, context);
      state = step.state;
      watchQuiet();
      return step.actions;
    },
    close: () => options.close(session),
  };

  const session: AcpSession = {
    nativeId,
    files,
    terminals,
    get isAttached() {
      return sink !== undefined;
    },
    receive(update) {
      if (sink === undefined) early.push(update);
      else apply({ kind: 'update', update });
    },
    async ask(request) {
      // Nobody is asked on behalf of turns that were ended here.
      if (sink === undefined || (state.running === undefined && state.abandoned.size > 0)) return undefined;
      openAsks += 1;
      try {
        return await sink.ask(request);
      } finally {
        openAsks -= 1;
        quiet?.touch();
      }
    },
    attach(newSink, newMemory, modelId) {
      sink = newSink;
      memory = newMemory;
      memory.keepsShown = !can.load;
      state = { ...state, seenNotices: memory.seenNotices };
      apply({ kind: 'opened', modelId });
      for (const update of early.splice(0)) apply({ kind: 'update', update });
      return link;
    },
    detach() {
      const isWorking = state.running !== undefined || state.abandoned.size > 0;
      if (sink !== undefined && isWorking) connection.cancel(nativeId);
      sink = undefined;
      quiet?.stop();
    },
  };
  return session;
}
