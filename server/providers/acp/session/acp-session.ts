import type { Clock } from '../../../clock.ts';
import type { Link, SessionSink } from '../../../engine/driver.ts';
import { type SilenceWatch, startSilenceWatch } from '../../../engine/silence-watch.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { type AgentNaming, isErrorResponse, toProviderError } from '../connection/acp-errors.ts';
import type { AskPermission } from '../connection/permission.ts';
import { mayBeOver, newSession, openCommands, type SessionEvent } from '../translate/session-state.ts';
import type { SessionUpdate } from '../translate/session-update.ts';
import { translateSession } from '../translate/translate-session.ts';
import type { TurnOutcome } from '../translate/turn-outcome.ts';
import type { ProjectFiles } from '../workspace/project-files.ts';
import type { Terminals } from '../workspace/terminals.ts';
import { createOutputThrottle } from './output-throttle.ts';
import type { SessionMemory } from './session-memory.ts';

/** How long a turn that the agent began by itself may be quiet before it counts as over. */
const QUIET_MS = 2_000;

/** A session that the agent has in memory. */
export interface AcpSession {
  readonly nativeId: string;
  readonly files: ProjectFiles;
  readonly terminals: Terminals;
  readonly isAttached: boolean;
  /** Updates that come before the session is attached wait for it. `from` is the session of a sub-agent. */
  receive(update: SessionUpdate, from?: string): void;
  readonly ask: AskPermission;
  attach(sink: SessionSink, memory: SessionMemory, modelId: string | undefined): Link;
  /** From now on nothing is reported. A turn that still runs is cancelled. */
  detach(): void;
}

export interface AcpSessionOptions {
  readonly nativeId: string;
  readonly connection: Pick<AcpConnection, 'dialect' | 'can' | 'prompt' | 'cancel' | 'stopTask' | 'isClosed'>;
  readonly naming: AgentNaming;
  readonly files: ProjectFiles;
  readonly terminals: Terminals;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Gets a promise for each prompt, which resolves when its answer was passed on. */
  readonly onPrompt: (answered: Promise<void>) => void;
  /** Ends the processes of a command by the variable in their environment. False where there are none. */
  readonly endProcesses: (variable: string, value: string) => Promise<boolean>;
  /** Closes the session at the agent. Never rejects. */
  readonly close: (session: AcpSession) => Promise<void>;
}

export function createAcpSession(options: AcpSessionOptions): AcpSession {
  const { nativeId, connection, naming, files, terminals, clock } = options;
  const { dialect, can } = connection;
  const context = { dialect, readTerminal: terminals.read, isReplay: false, newTurnId: options.newId };
  const early: (SessionEvent & { kind: 'update' })[] = [];
  /** Tasks that the agent announced, which it can stop itself. */
  const announced = new Set<string>();
  let state = newSession(new Set());
  let sink: SessionSink | undefined;
  let memory: SessionMemory | undefined;
  let quiet: SilenceWatch | undefined;
  let openAsks = 0;

  const throttle = createOutputThrottle(clock, (actions) => {
    if (actions.length > 0) sink?.apply(actions);
    else sink?.touch();
  });

  function apply(event: SessionEvent): void {
    if (sink === undefined) return;
    const step = translateSession(state, event, context);
    state = step.state;
    watchQuiet();
    throttle.apply(step.actions);
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
    if (outcome === undefined) return;
    const abandonedCommands = state.running?.turn.turnId === turnId ? openCommands(state) : [];
    const isCancelled = outcome.by === 'answer' && outcome.stopReason === 'cancelled';
    apply({ kind: 'answered', turnId, outcome });
    if (isCancelled) for (const callId of abandonedCommands) void endCommand(callId);
  }

  /** Cancelling ends the model's turn; a command that it waited for would run on unseen. */
  async function endCommand(callId: string): Promise<boolean> {
    return dialect.callVariable !== undefined && options.endProcesses(dialect.callVariable, callId);
  }

  async function stopTask(taskId: string): Promise<void> {
    const commands = openCommands(state, taskId);
    apply({ kind: 'stopping', taskId });
    if (state.subagents.has(taskId)) {
      connection.cancel(taskId);
      await Promise.all(commands.map(endCommand));
    } else if (announced.has(taskId)) {
      await connection.stopTask(nativeId, taskId);
    } else if (!(await endCommand(taskId))) {
      sink?.notify('The command could not be stopped: its process was not found.');
    }
  }

  const link: Link = {
    mustStayOpen: !can.load && !can.resume,
    prompt(turnId, content) {
      if (memory !== undefined) memory.wasPrompted = true;
      apply({ kind: 'prompted', turnId });
      options.onPrompt(prompt(turnId, content));
    },
    async interrupt() {
      const abandonedCommands = [
        // No answer will tell that a turn of the agent's own was cancelled.
        ...(state.running?.isPrompted === false ? openCommands(state) : []),
        // Cancelling a turn ends the sub-agents of the session, but not what they run.
        ...[...state.subagents.keys()].flatMap((subagentId) => openCommands(state, subagentId)),
      ];
      if (state.running?.isInterrupted !== true) connection.cancel(nativeId);
      apply({ kind: 'interrupted' });
      for (const callId of abandonedCommands) void endCommand(callId);
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
    stopTask,
    close: () => options.close(session),
  };

  const session: AcpSession = {
    nativeId,
    files,
    terminals,
    get isAttached() {
      return sink !== undefined;
    },
    receive(update, from) {
      const event = { kind: 'update', update, ...(from !== undefined && { from }) } as const;
      if (update.sessionUpdate === 'async_task_spawned') announced.add(update.asyncTaskId);
      if (sink === undefined) early.push(event);
      else apply(event);
    },
    async ask(request) {
      // Nobody is asked on behalf of turns that were ended here.
      if (sink === undefined || (state.running === undefined && state.abandoned.size > 0)) return undefined;
      openAsks += 1;
      try {
        const decision = await sink.ask(request);
        // An agent is only told that it was refused.
        if (decision?.allow === false) sink?.notify(decision.reason);
        return decision;
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
      for (const event of early.splice(0)) apply(event);
      return link;
    },
    detach() {
      const isWorking = state.running !== undefined || state.abandoned.size > 0;
      if (sink !== undefined && isWorking) connection.cancel(nativeId);
      sink = undefined;
      quiet?.stop();
      throttle.stop();
    },
  };
  return session;
}
