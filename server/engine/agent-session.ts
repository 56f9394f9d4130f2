import { errorCatalogue } from '../../shared/errors.ts';
import type { ReceiptEvent, TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { Clock } from '../clock.ts';
import type { TextGrowth } from '../streaming/text-item.ts';
import { withTimeout } from '../with-timeout.ts';
import { createAsks } from './asks.ts';
import type {
  Driver,
  DriverAction,
  Failure,
  Link,
  OpenedSession,
  ProcessEnd,
  SessionSink,
  SessionTarget,
} from './driver.ts';
import { openInProcess } from './open-in-process.ts';
import { createOutgoing, type OutgoingMessage } from './outgoing.ts';
import { type Access, type DecidePermission, NORMAL_ACCESS } from './permission.ts';
import type { ProcessKeeper } from './process-keeper.ts';
import { ProviderError } from './provider-errors.ts';
import { createSessionTurns, type Ending } from './session-turns.ts';
import { type SilenceWatch, startSilenceWatch } from './silence-watch.ts';

/**
 * One session of any agent. Its link to the agent is opened for a message, closed when the session sleeps, and may
 * break. The turns of the session outlive the link.
 */
export interface AgentSession {
  /** Its ids, its directory and whether it has a conversation. */
  target(): SessionTarget;
  /** What the agent may do in it. Undefined while that is not known. */
  access(): Access | undefined;
  isAlive(): boolean;
  /** Whether the link is being opened. */
  isOpening(): boolean;
  /** Whether it has a link and nothing to do. */
  isIdle(): boolean;
  /** Opens the link if there is none. */
  wake(): Promise<void>;
  attach(opened: OpenedSession): void;
  /** Resolves when the agent has the message. */
  send(turnId: string, content: string): Promise<void>;
  /** Cancels everything in progress, within the grace period. */
  cancel(): Promise<void>;
  stopBackground(itemId?: string): Promise<void>;
  /** Shows a notice in the current turn or the next one. */
  notify(text: string): void;
  /** Closes the link; the next message opens another one. */
  sleep(reason: string): Promise<void>;
  /** Like `sleep`, but a session that is not idle goes on until it is. */
  rest(reason: string): Promise<void>;
  /** The process has ended. */
  detach(end: ProcessEnd): void;
  whenIdle(): Promise<void>;
  /** Ends everything. The session cannot be used afterwards. */
  close(reason: string, how: Ending): Promise<void>;
}

export interface AgentSessionOptions {
  readonly driver: Driver;
  readonly target: SessionTarget;
  /** As far as it is known before the link is opened. */
  readonly access: Access | undefined;
  readonly keeper: ProcessKeeper;
  readonly clock: Clock;
  readonly promptTimeoutMs: number;
  /** How long the agent may take to end a cancelled turn. */
  readonly cancelGraceMs: number;
  readonly decidePermission: DecidePermission;
  readonly onUpsert: (upsert: UpsertObject, growth?: TextGrowth) => void;
  readonly onTurn: (event: TurnEvent) => void;
  readonly onReceipt: (event: ReceiptEvent) => void;
  /** Called when a message is sent and when a turn or background work ends. */
  readonly onUse: () => void;
  readonly log: (message: string) => void;
}

const CLOSED = new ProviderError('SESSION_NOT_FOUND', 'The session was closed. Open it again to go on.');

const IDLE_SINK: SessionSink = {
  apply() {},
  touch() {},
  ask: async () => undefined,
  notify() {},
};

export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { driver, keeper, clock } = options;
  const { sharedProcess, takesMessagesWhileBusy } = driver.traits;
  const turns = createSessionTurns(options);
  const outgoing = createOutgoing();
  const asks = createAsks(options.target.sessionId, options.decidePermission, () => silence?.touch());
  /** Turns whose message waits for the one before it, for agents that take one message at a time. */
  const held: OutgoingMessage[] = [];
  let link: Link | undefined;
  /** Identifies the current link. */
  let attached: object | undefined;
  let opening: { readonly promise: Promise<void>; readonly aborter: AbortController } | undefined;
  let promptedTurn: string | undefined;
  let silence: SilenceWatch | undefined;
  let restartReason: string | undefined;
  /** Set where the link has to be closed as soon as the session is idle. */
  let restReason: string | undefined;
  let isClosed = false;
  let access = options.access;

  const target = (): SessionTarget => ({
    ...options.target,
    wasUsed: options.target.wasUsed || turns.hasCompleted(),
  });
  const isBusy = () => turns.open().length > 0 || !outgoing.isEmpty();
  const flush = (turnId: string) => link?.flush?.(turnId) ?? [];

  function apply(actions: readonly DriverAction[], at?: string): void {
    silence?.touch();
    const workBefore = turns.backgroundCount();
    let hasEnded = false;
    for (const action of actions) {
      if (action.do === 'taken') {
        take(action.turnId, at);
        turns.markTaken(action.turnId);
      } else if (action.do === 'restart') restartReason = action.reason;
      else turns.apply(action, at);
      hasEnded ||= action.do === 'turn_done' || action.do === 'turn_error';
    }
    if (hasEnded || restartReason !== undefined) afterTurn();
    if (turns.backgroundCount() !== workBefore) {
      options.onUse();
      restIfIdle();
    }
    if (silence === undefined || hasEnded) watchSilence();
  }

  function take(turnId: string, at?: string): void {
    const message = outgoing.take(turnId);
    if (message !== undefined) turns.begin(turnId, message.content, at);
  }

  function endTurns(turnIds: readonly string[], how: Ending): void {
    turns.end(turnIds, how, flush);
    afterTurn();
  }

  function afterTurn(): void {
    if (promptedTurn !== undefined && !turns.open().includes(promptedTurn)) promptedTurn = undefined;
    options.onUse();
    if (restartReason !== undefined && !isBusy()) void sleep(restartReason);
    else if (!restIfIdle()) promptNext();
  }

  const isIdle = () =>
    link !== undefined && !link.mustStayOpen && !isBusy() && turns.backgroundCount() === 0 && !asks.isOpen();

  function restIfIdle(): boolean {
    if (restReason === undefined || !isIdle()) return false;
    void sleep(restReason);
    return true;
  }

  function promptNext(): void {
    if (link === undefined || promptedTurn !== undefined) return;
    const next = held.shift();
    if (next === undefined) return;
    promptedTurn = next.turnId;
    link.prompt(next.turnId, next.content);
    turns.markTaken(next.turnId);
  }

  function watchSilence(): void {
    const isWaiting = turns.open().length + outgoing.sent().length > 0;
    if (!isWaiting) silence?.stop();
    silence = isWaiting ? (silence ?? startSilenceWatch(silenceOptions)) : undefined;
  }

  const silenceOptions = {
    clock,
    limitMs: options.promptTimeoutMs,
    isExcused: () => turns.isToolRunning() || asks.isOpen(),
    onSilence() {
      silence = undefined;
      const seconds = Math.round(options.promptTimeoutMs / 1000);
      const message = `${driver.label} was silent for ${seconds} s and the turn was given up. Try again.`;
      void abandon([...turns.open()], { code: 'TURN_TIMEOUT', message }, 'silent for too long');
    },
  };

  /** Ends turns that the agent did not end. */
  async function abandon(turnIds: readonly string[], how: Ending, reason: string): Promise<void> {
    const abandoned = link;
    // Messages sent while the cancellation was in progress.
    const later = held.splice(0).filter(({ turnId }) => !turnIds.includes(turnId));
    endTurns(turnIds, how);
    outgoing.refuseAll(how === 'cancelled' ? new ProviderError('CANCELLED') : refusalOf(how));
    if (!sharedProcess) {
      endTurns(turnIdsOf(later.splice(0)), how);
      dropLink();
      breakBackground(reason);
    }
    const done = abandoned?.abandon(turnIds, reason);
    held.push(...later);
    promptNext();
    watchSilence();
    await done;
  }

  function attach(opened: OpenedSession): void {
    const mine = {};
    const isCurrent = () => attached === mine;
    attached = mine;
    access = opened.access ?? NORMAL_ACCESS;
    // A dropped link may still report what its agent does until it ends.
    link = opened.attach({
      apply: (actions, at) => isCurrent() && apply(actions, at),
      touch: () => isCurrent() && silence?.touch(),
      ask: async (request) => (isCurrent() ? asks.ask(request, access ?? NORMAL_ACCESS) : undefined),
      notify: (text) => isCurrent() && turns.notify(text),
    });
    options.onUse();
    dispatch();
  }

  async function open(signal: AbortSignal): Promise<void> {
    const { projectDir } = options.target;
    let opened = await openInProcess(keeper, { mode: 'resume', projectDir, target: target() }, signal);
    // It was opened with a conversation that has changed since.
    while (restReason !== undefined) {
      const reason = restReason;
      restReason = undefined;
      await opened.attach(IDLE_SINK).close(reason);
      signal.throwIfAborted();
      opened = await openInProcess(keeper, { mode: 'resume', projectDir, target: target() }, signal);
    }
    if (isClosed) throw CLOSED;
    attach(opened);
  }

  function wake(): Promise<void> {
    if (isClosed) return Promise.reject(CLOSED);
    if (link !== undefined) return Promise.resolve();
    if (opening !== undefined) return opening.promise;
    restReason = undefined;
    const aborter = new AbortController();
    const mine = { aborter, promise: open(aborter.signal).finally(forget) };
    function forget(): void {
      if (opening === mine) opening = undefined;
    }
    opening = mine;
    return mine.promise;
  }

  /** Sends the messages that waited for the link. */
  function dispatch(): void {
    if (link === undefined) return;
    for (const message of outgoing.takeWaiting()) {
      options.onUse();
      if (takesMessagesWhileBusy) link.prompt(message.turnId, message.content);
      else {
        take(message.turnId);
        held.push(message);
      }
    }
    promptNext();
    watchSilence();
  }

  async function callOffStart(error: ProviderError): Promise<void> {
    opening?.aborter.abort(error);
    opening = undefined;
    outgoing.refuseWaiting(error);
    if (!sharedProcess && link === undefined) await keeper.stop('start called off');
  }

  function dropLink(): Link | undefined {
    const dropped = link;
    link = undefined;
    attached = undefined;
    promptedTurn = undefined;
    restartReason = undefined;
    restReason = undefined;
    asks.abort();
    return dropped;
  }

  async function sleep(reason: string): Promise<void> {
    const dropped = dropLink();
    breakBackground(reason);
    if (dropped !== undefined) await dropped.close(reason);
    else if (!sharedProcess) await keeper.stop(reason);
  }

  function breakBackground(reason: string): void {
    turns.breakBackground({ code: 'STOPPED', message: `Stopped, because the agent was ended (${reason}).` });
  }

  async function cancelTurns(turnIds: readonly string[]): Promise<void> {
    const interrupt = async () => {
      // Claude Code ignores an interruption that arrives before its message.
      await Promise.allSettled(outgoing.sent().map(({ taken }) => taken));
      const isUnderstood = await link?.interrupt();
      if (isUnderstood !== false) await turns.whenEnded(turnIds);
    };
    const interrupted = interrupt().catch(() => {});
    await withTimeout(clock, options.cancelGraceMs, interrupted);
    const left = turns.open().filter((turnId) => turnIds.includes(turnId));
    if (left.length > 0 || outgoing.sent().length > 0) await abandon(left, 'cancelled', 'did not stop');
  }

  return {
    target,
    access: () => access,
    wake,
    attach,
    sleep,
    notify: (text) => turns.notify(text),
    isAlive: () =>
      sharedProcess ? link !== undefined && keeper.current?.isOpen() === true : keeper.running?.isOpen() === true,
    isOpening: () => opening !== undefined,
    isIdle,
    async rest(reason) {
      // A process without a link has read the conversation as well.
      const isLinked = link !== undefined || opening !== undefined;
      if (isIdle() || (!isLinked && !sharedProcess)) await sleep(reason);
      else if (isLinked) restReason = reason;
    },
    async whenIdle() {
      // Messages that wait for the link become turns once it is there.
      await opening?.promise.catch(() => {});
      await turns.whenEnded();
    },
    async send(turnId, content) {
      if (isClosed) throw CLOSED;
      const { taken } = outgoing.add(turnId, content);
      if (link !== undefined) dispatch();
      else wake().catch((error: unknown) => outgoing.refuseWaiting(toProviderError(error)));
      await taken;
    },
    async cancel() {
      if (outgoing.hasWaiting()) await callOffStart(new ProviderError('CANCELLED'));
      endTurns(turnIdsOf(held.splice(0)), 'cancelled');
      const turnIds = [...turns.open(), ...turnIdsOf(outgoing.sent())];
      if (turnIds.length === 0) return;
      turns.markCancelled(turnIds);
      asks.abort();
      await cancelTurns(turnIds);
    },
    async stopBackground(itemId) {
      const work = turns.background().filter((item) => itemId === undefined || item.itemId === itemId);
      await Promise.all(work.map(({ taskId }) => link?.stopTask?.(taskId)));
    },
    detach({ failure, refusal }) {
      if (link === undefined) return;
      held.length = 0;
      promptedTurn = undefined;
      turns.end([...turns.open()], failure, flush);
      dropLink();
      outgoing.refuseAll(refusal);
      turns.breakBackground(failure);
      options.onUse();
      watchSilence();
    },
    async close(reason, how) {
      isClosed = true;
      const calledOff = callOffStart(CLOSED);
      held.length = 0;
      endTurns([...turns.open()], how);
      outgoing.refuseAll(CLOSED);
      const dropped = dropLink();
      breakBackground(reason);
      silence?.stop();
      await dropped?.close(reason);
      await calledOff;
      if (!sharedProcess) await keeper.stop(reason);
      turns.close();
    },
  };
}

function turnIdsOf(messages: readonly OutgoingMessage[]): readonly string[] {
  return messages.map(({ turnId }) => turnId);
}

function refusalOf({ message }: Failure): ProviderError {
  return new ProviderError('PROCESS_CRASH', message);
}

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError('AGENT_PROTOCOL_ERROR', errorCatalogue.AGENT_PROTOCOL_ERROR.message, { cause: error });
}
