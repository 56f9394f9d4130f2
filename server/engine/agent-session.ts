import { errorCatalogue } from '../../shared/errors.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import type { Clock } from '../clock.ts';
import type { StreamAction } from '../streaming/stream-actions.ts';
import { createStreamCore, LIVE_BATCHING } from '../streaming/stream-core.ts';
import type { TextGrowth } from '../streaming/text-item.ts';
import { withTimeout } from '../with-timeout.ts';
import { createAsks } from './asks.ts';
import type { Driver, DriverAction, Failure, Link, OpenedSession, ProcessEnd, SessionTarget } from './driver.ts';
import { createNotices } from './notices.ts';
import { createOutgoing, type OutgoingMessage } from './outgoing.ts';
import type { DecidePermission } from './permission.ts';
import { abortable, type ProcessKeeper } from './process-keeper.ts';
import { ProviderError } from './provider-errors.ts';
import { type SilenceWatch, startSilenceWatch } from './silence-watch.ts';

/** How turns end that are open when a session is closed. */
export type Ending = 'cancelled' | Failure;

/**
 * One session of any agent. Its link to the agent comes and goes: it sleeps when it is not needed, it may break, and
 * whenever a message is to be sent it is there again. What the user sees of the session goes on across links.
 */
export interface AgentSession {
  /** Where it is and whether there is a conversation. */
  target(): SessionTarget;
  isAlive(): boolean;
  /** Its link is being opened. */
  isOpening(): boolean;
  /** It has a link and nothing to do. */
  isIdle(): boolean;
  /** Opens the link where there is none. */
  wake(): Promise<void>;
  attach(opened: OpenedSession): void;
  /** Resolves when the agent has the message. */
  send(turnId: string, content: string): Promise<void>;
  /** Ends everything under way as cancelled, within the grace. */
  cancel(): Promise<void>;
  stopBackground(itemId?: string): Promise<void>;
  /** Lets go of the link; the next message opens another one. */
  sleep(reason: string): Promise<void>;
  /** The process is gone. */
  detach(end: ProcessEnd): void;
  whenIdle(): Promise<void>;
  /** Ends everything, for good. */
  close(reason: string, how: Ending): Promise<void>;
}

export interface AgentSessionOptions {
  readonly driver: Driver;
  readonly target: SessionTarget;
  readonly keeper: ProcessKeeper;
  readonly clock: Clock;
  readonly promptTimeoutMs: number;
  /** How long an agent may take to end what was cancelled. */
  readonly cancelGraceMs: number;
  readonly decidePermission: DecidePermission;
  readonly onUpsert: (upsert: UpsertObject, growth?: TextGrowth) => void;
  readonly onTurn: (event: TurnEvent) => void;
  /** A message went out, a turn ended or background work did. */
  readonly onUse: () => void;
  readonly log: (message: string) => void;
}

const CLOSED = new ProviderError('SESSION_NOT_FOUND', 'The session was closed. Open it again to go on.');

export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { driver, keeper, clock } = options;
  const { sessionId } = options.target;
  const outgoing = createOutgoing();
  const asks = createAsks(sessionId, options.decidePermission, () => silence?.touch());
  /** Taken, but not sent to the agent: it works on one message at a time. */
  const held: OutgoingMessage[] = [];
  /** Turns that the user gave up: whatever the agent makes of them, they end as cancelled. */
  const given = new Set<string>();
  const runningCalls = new Set<string>();
  const waiters = new Set<() => void>();
  let wasUsed = options.target.wasUsed;
  let link: Link | undefined;
  /** Stands for the present link. What a link reports that was let go of is not wanted any more. */
  let attached: object | undefined;
  let opening: { readonly promise: Promise<void>; readonly aborter: AbortController } | undefined;
  let promptedTurn: string | undefined;
  let silence: SilenceWatch | undefined;
  let restartReason: string | undefined;
  let turnEnds = 0;
  let isClosed = false;

  const notices = createNotices({
    log: options.log,
    show: (turnId, itemId, content) => core.apply({ do: 'message', turnId, itemId, origin: 'system', content }),
  });
  const record = driver.openRecord?.(options.target, notices.report);
  const core = createStreamCore({
    sessionId,
    providerId: driver.cliType,
    clock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert(upsert, growth) {
      record?.take(upsert);
      options.onUpsert(upsert, growth);
    },
    onTurn(event) {
      if (event.type !== 'turn_started') {
        record?.endTurn(event.turnId);
        notices.closeTurn(event.turnId);
        given.delete(event.turnId);
        turnEnds += 1;
        wasUsed ||= event.type === 'turn_complete';
        if (promptedTurn === event.turnId) promptedTurn = undefined;
      }
      options.onTurn(event);
      if (event.type === 'turn_started') notices.openTurn(event.turnId);
    },
  });

  const target = (): SessionTarget => ({ ...options.target, wasUsed });
  const isBusy = () => core.openTurns().length > 0 || !outgoing.isEmpty();

  function apply(actions: readonly DriverAction[], at?: string): void {
    silence?.touch();
    const endsBefore = turnEnds;
    const workBefore = core.background().length;
    for (const action of actions) applyOne(action, at);
    if (turnEnds > endsBefore || restartReason !== undefined) afterTurn();
    if (core.background().length !== workBefore) options.onUse();
    watchSilence();
  }

  function applyOne(action: DriverAction, at: string | undefined): void {
    switch (action.do) {
      case 'taken':
        take(action.turnId, at);
        return;
      case 'restart':
        restartReason = action.reason;
        return;
      case 'tool_start':
        runningCalls.add(action.callId);
        break;
      case 'tool_background':
      case 'tool_done':
        runningCalls.delete(action.callId);
        break;
    }
    core.apply(asGiven(action), at);
  }

  /** The end of a turn that was given up is a cancellation. */
  function asGiven(action: StreamAction): StreamAction {
    if ((action.do !== 'turn_done' && action.do !== 'turn_error') || !given.has(action.turnId)) return action;
    return action.do === 'turn_done'
      ? { ...action, status: 'cancelled' }
      : { do: 'turn_done', turnId: action.turnId, status: 'cancelled' };
  }

  function take(turnId: string, at?: string): void {
    const message = outgoing.take(turnId);
    if (message === undefined) return;
    const itemId = `${turnId}:user`;
    core.apply({ do: 'message', turnId, itemId, origin: 'user', content: message.content }, at);
  }

  function endTurn(turnId: string, how: Ending): void {
    for (const action of link?.flush?.(turnId) ?? []) core.apply(action);
    if (how === 'cancelled') core.apply({ do: 'turn_done', turnId, status: 'cancelled' });
    else core.apply(asGiven({ do: 'turn_error', turnId, code: how.code, message: how.message }));
  }

  function endTurns(turnIds: readonly string[], how: Ending): void {
    for (const turnId of turnIds) if (core.openTurns().includes(turnId)) endTurn(turnId, how);
    afterTurn();
  }

  function afterTurn(): void {
    if (core.openTurns().length === 0) runningCalls.clear();
    for (const check of [...waiters]) check();
    options.onUse();
    if (restartReason !== undefined && !isBusy()) void sleep(restartReason);
    else promptNext();
  }

  function promptNext(): void {
    if (link === undefined || promptedTurn !== undefined) return;
    const next = held.shift();
    if (next === undefined) return;
    promptedTurn = next.turnId;
    link.prompt(next.turnId, next.content);
  }

  function watchSilence(): void {
    const isWaiting = core.openTurns().length + outgoing.sent().length > 0;
    if (!isWaiting) silence?.stop();
    silence = isWaiting ? (silence ?? startSilenceWatch(silenceOptions)) : undefined;
  }

  const silenceOptions = {
    clock,
    limitMs: options.promptTimeoutMs,
    isExcused: () => runningCalls.size > 0 || asks.isOpen(),
    onSilence() {
      silence = undefined;
      const seconds = Math.round(options.promptTimeoutMs / 1000);
      const message = `${driver.label} was silent for ${seconds} s and the turn was given up. Try again.`;
      void abandon([...core.openTurns()], { code: 'TURN_TIMEOUT', message }, 'silent for too long');
    },
  };

  /** Ends turns that the agent does not end. */
  async function abandon(turnIds: readonly string[], how: Ending, reason: string): Promise<void> {
    const abandoned = link;
    // Messages that were sent while the cancellation was under way.
    const later = held.splice(0).filter(({ turnId }) => !turnIds.includes(turnId));
    endTurns(turnIds, how);
    outgoing.refuseAll(how === 'cancelled' ? new ProviderError('CANCELLED') : refusalOf(how));
    if (!driver.traits.sharedProcess) {
      endTurns(
        later.splice(0).map(({ turnId }) => turnId),
        how,
      );
      letGoOfLink();
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
    attached = mine;
    const isAttached = () => attached === mine;
    link = opened.attach({
      apply: (actions, at) => {
        if (isAttached()) apply(actions, at);
      },
      touch: () => {
        if (isAttached()) silence?.touch();
      },
      ask: async (request) => (isAttached() ? asks.ask(request) : undefined),
      notify: (text) => {
        if (isAttached()) notices.report(text);
      },
    });
    options.onUse();
    dispatch();
  }

  async function open(signal: AbortSignal): Promise<void> {
    const { projectDir } = options.target;
    const process = await keeper.ensure(signal);
    const opened = process.open({ mode: 'resume', projectDir, target: target() });
    const isWanted = () => !signal.aborted && !isClosed && keeper.current === process;
    void opened.then(
      (late) => (isWanted() ? undefined : late.release?.()),
      () => {},
    );
    const ready = await abortable(opened, signal);
    if (isClosed) throw CLOSED;
    if (!isWanted()) throw new ProviderError('PROCESS_CRASH');
    attach(ready);
  }

  function wake(): Promise<void> {
    if (isClosed) return Promise.reject(CLOSED);
    if (link !== undefined) return Promise.resolve();
    if (opening !== undefined) return opening.promise;
    const aborter = new AbortController();
    const mine = { aborter, promise: open(aborter.signal).finally(forget) };
    function forget(): void {
      if (opening === mine) opening = undefined;
    }
    opening = mine;
    return mine.promise;
  }

  /** Sends what waits for the link. */
  function dispatch(): void {
    if (link === undefined) return;
    for (const message of outgoing.takeWaiting()) {
      options.onUse();
      if (driver.traits.takesMessagesWhileBusy) link.prompt(message.turnId, message.content);
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
    if (!driver.traits.sharedProcess && link === undefined) await keeper.stop('start called off');
  }

  function letGoOfLink(): Link | undefined {
    const left = link;
    link = undefined;
    attached = undefined;
    promptedTurn = undefined;
    restartReason = undefined;
    asks.abort();
    return left;
  }

  async function sleep(reason: string): Promise<void> {
    const left = letGoOfLink();
    breakBackground(reason);
    if (left !== undefined) await left.close(reason);
    else if (!driver.traits.sharedProcess) await keeper.stop(reason);
  }

  function breakBackground(reason: string): void {
    core.breakBackground({ code: 'STOPPED', message: `Stopped, because the agent was ended (${reason}).` });
  }

  async function doCancel(turnIds: readonly string[]): Promise<void> {
    const interrupted = async () => {
      // An interruption that overtakes its message stops nothing.
      await Promise.allSettled(outgoing.sent().map(({ taken }) => taken));
      const isUnderstood = await link?.interrupt();
      if (isUnderstood !== false) await whenEnded(turnIds);
    };
    await withTimeout(
      clock,
      options.cancelGraceMs,
      interrupted().catch(() => {}),
    );
    const left = [...core.openTurns()].filter((turnId) => turnIds.includes(turnId));
    if (left.length > 0 || outgoing.sent().length > 0) await abandon(left, 'cancelled', 'did not stop');
  }

  function whenEnded(turnIds?: readonly string[]): Promise<void> {
    const isOver = () =>
      turnIds === undefined
        ? core.openTurns().length === 0
        : !turnIds.some((turnId) => core.openTurns().includes(turnId));
    return new Promise((resolve) => {
      const check = () => {
        if (!isOver()) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
    });
  }

  return {
    target,
    wake,
    attach,
    sleep,
    isAlive: () =>
      driver.traits.sharedProcess
        ? link !== undefined && keeper.current?.isOpen() === true
        : keeper.running?.isOpen() === true,
    isOpening: () => opening !== undefined,
    isIdle: () =>
      link !== undefined && !link.mustStayOpen && !isBusy() && core.background().length === 0 && !asks.isOpen(),
    async whenIdle() {
      // Messages that wait for the link become turns once it is there.
      await opening?.promise.catch(() => {});
      await whenEnded();
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
      endTurns(
        held.splice(0).map(({ turnId }) => turnId),
        'cancelled',
      );
      const turnIds = [...core.openTurns(), ...outgoing.sent().map(({ turnId }) => turnId)];
      if (turnIds.length === 0) return;
      for (const turnId of turnIds) given.add(turnId);
      asks.abort();
      await doCancel(turnIds);
    },
    async stopBackground(itemId) {
      const work = core.background().filter((item) => itemId === undefined || item.itemId === itemId);
      await Promise.all(work.map(({ taskId }) => link?.stopTask?.(taskId)));
    },
    detach({ failure, refusal }) {
      if (link === undefined) return;
      const turnIds = [...core.openTurns()];
      for (const turnId of turnIds) for (const action of link.flush?.(turnId) ?? []) core.apply(action);
      letGoOfLink();
      held.length = 0;
      outgoing.refuseAll(refusal);
      endTurns(turnIds, failure);
      core.breakBackground(failure);
      watchSilence();
    },
    async close(reason, how) {
      isClosed = true;
      const calledOff = callOffStart(CLOSED);
      held.length = 0;
      endTurns([...core.openTurns()], how);
      outgoing.refuseAll(CLOSED);
      const left = letGoOfLink();
      breakBackground(reason);
      silence?.stop();
      await left?.close(reason);
      await calledOff;
      if (!driver.traits.sharedProcess) await keeper.stop(reason);
      record?.close();
    },
  };
}

function refusalOf({ message }: Failure): ProviderError {
  return new ProviderError('PROCESS_CRASH', message);
}

function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError('AGENT_PROTOCOL_ERROR', errorCatalogue.AGENT_PROTOCOL_ERROR.message, { cause: error });
}
