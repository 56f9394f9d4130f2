import type { Clock } from '../../../clock.ts';
import type { StreamCore } from '../../../streaming/stream-core.ts';
import { type AgentWords, toProviderError } from '../connection/acp-errors.ts';
import { modelOf, type PromptAnswer } from '../connection/agent-responses.ts';
import type { ReadTerminal } from '../translate/call-state.ts';
import type { Dialect } from '../translate/dialect.ts';
import { createHeldNotices } from '../translate/held-notices.ts';
import { type RunningTurn, startTurn } from './running-turn.ts';
import type { SessionUpdate } from '../translate/session-update.ts';
import type { TurnOutcome } from '../translate/turn-outcome.ts';
import { createLeftovers, isContent, saysIdle } from '../translate/unprompted.ts';

/** How long an agent may take to answer a prompt that was cancelled. */
const CANCEL_GRACE_MS = 5_000;
/** How long a turn that nobody asked for may be quiet before it counts as over. */
const UNPROMPTED_QUIET_MS = 2_000;

const DONE: TurnOutcome = { by: 'answer', stopReason: 'end_turn' };

/** The way to the agent, as long as it has this session in memory. */
export interface AgentLink {
  readonly dialect: Dialect;
  /** Rejects with what the agent answered, or when the connection is gone. */
  prompt(content: string): Promise<PromptAnswer>;
  cancel(): void;
}

/** One conversation with an agent. Its turns run one after the other. */
export interface AcpSession {
  readonly isAttached: boolean;
  /** A message was sent in this conversation, now or before. */
  readonly wasUsed: boolean;
  attach(link: AgentLink, modelId: string | undefined): void;
  /** The agent is gone, or lets go of the session: every open turn ends like this. */
  detach(failure: { readonly code: string; readonly message: string }): void;
  /** Shows the message and sends it as soon as those before it are answered. */
  send(turnId: string, content: string): void;
  /** Ends every open turn as cancelled; resolves when they have ended. */
  cancel(): Promise<void>;
  receive(update: SessionUpdate): void;
  /** Waits for an answer on behalf of the running turn; undefined when nobody wants it any more. */
  ask<T>(answer: Promise<T>): Promise<T | undefined>;
  whenIdle(): Promise<void>;
}

export interface AcpSessionOptions {
  readonly core: StreamCore;
  readonly clock: Clock;
  readonly newTurnId: () => string;
  readonly promptTimeoutMs: number;
  readonly readTerminal: ReadTerminal;
  readonly words: AgentWords;
  readonly wasUsed: boolean;
}

interface Running {
  readonly turn: RunningTurn;
  /** False for a turn that the agent began by itself. */
  readonly isPrompted: boolean;
  isCancelling: boolean;
}

export function createAcpSession(options: AcpSessionOptions): AcpSession {
  const { core, clock, words } = options;
  const queue: { readonly turnId: string; readonly content: string }[] = [];
  const notices = createHeldNotices();
  const leftovers = createLeftovers();
  /** Given up before the agent answered: until it does, what it reports belongs to them. */
  const abandoned = new Set<RunningTurn>();
  let link: AgentLink | undefined;
  let modelId: string | undefined;
  let running: Running | undefined;
  let wasUsed = options.wasUsed;

  function begin(turnId: string, { dialect }: AgentLink, isPrompted: boolean): RunningTurn {
    const turn = startTurn({
      turnId,
      context: { dialect, readTerminal: options.readTerminal, isReplay: false },
      apply: (action) => core.apply(action),
      clock,
      silenceLimitMs: isPrompted ? options.promptTimeoutMs : UNPROMPTED_QUIET_MS,
      onSilence: () => (isPrompted ? giveUpSilent(turn) : finish(turn, DONE)),
    });
    running = { turn, isPrompted, isCancelling: false };
    core.apply({ do: 'turn_start', turnId, ...(modelId !== undefined && { modelId }) });
    for (const notice of notices.take()) turn.apply(notice);
    return turn;
  }

  function finish(turn: RunningTurn, outcome: TurnOutcome): void {
    if (turn.isOver) return;
    turn.end(outcome);
    leftovers.add(turn.state(), outcome.by !== 'answer' || outcome.stopReason === 'cancelled');
    running = undefined;
    startNext();
  }

  function giveUp(turn: RunningTurn, outcome: TurnOutcome): void {
    if (!turn.isOver) abandoned.add(turn);
    finish(turn, outcome);
  }

  function giveUpSilent(turn: RunningTurn): void {
    link?.cancel();
    const seconds = Math.round(options.promptTimeoutMs / 1000);
    const message = `${words.label} was silent for ${seconds} seconds and the turn was given up. Try again.`;
    giveUp(turn, { by: 'break', code: 'TURN_TIMEOUT', message });
  }

  /** One prompt at a time: agents differ in what they do with a second one, and Codex lets none be cancelled. */
  function startNext(): void {
    if (link === undefined || running?.isPrompted) return;
    const message = queue.shift();
    if (message === undefined) return;
    running?.turn.end(DONE);
    const turn = begin(message.turnId, link, true);
    link.prompt(message.content).then(
      (answer) => settle(turn, { by: 'answer', ...answer }),
      (error: unknown) => {
        const { code, message: text } = toProviderError(error, words);
        settle(turn, { by: 'refusal', code, message: text });
      },
    );
  }

  function settle(turn: RunningTurn, outcome: TurnOutcome): void {
    abandoned.delete(turn);
    finish(turn, running?.isCancelling ? asCancelled(outcome) : outcome);
  }

  return {
    get isAttached() {
      return link !== undefined;
    },
    get wasUsed() {
      return wasUsed;
    },
    attach(newLink, newModelId) {
      link = newLink;
      modelId = newModelId ?? modelId;
    },
    detach({ code, message }) {
      link = undefined;
      abandoned.clear();
      if (running !== undefined) finish(running.turn, { by: 'break', code, message });
      for (const { turnId } of queue.splice(0)) core.apply({ do: 'turn_error', turnId, code, message });
    },
    send(turnId, content) {
      wasUsed = true;
      core.apply({ do: 'message', turnId, itemId: `${turnId}:user`, origin: 'user', content });
      queue.push({ turnId, content });
      startNext();
    },
    async cancel() {
      for (const { turnId } of queue.splice(0)) core.apply({ do: 'turn_done', turnId, status: 'cancelled' });
      if (running === undefined) return;
      const { turn, isPrompted, isCancelling } = running;
      if (isCancelling) return turn.ended;
      running.isCancelling = true;
      turn.abort();
      link?.cancel();
      if (!isPrompted) return finish(turn, { by: 'cancel' });
      const timer = clock.setTimeout(() => giveUp(turn, { by: 'cancel' }), CANCEL_GRACE_MS);
      await turn.ended;
      clock.clearTimeout(timer);
    },
    receive(update) {
      if (update.sessionUpdate === 'config_option_update') {
        modelId = modelOf({ configOptions: update.configOptions }) ?? modelId;
      }
      if (running !== undefined) {
        const { turn, isPrompted } = running;
        turn.apply(update);
        if (!isPrompted && saysIdle(update)) finish(turn, DONE);
      } else if (update.sessionUpdate === 'notice') {
        notices.hold(update);
      } else if (link !== undefined && abandoned.size === 0 && isContent(update) && !leftovers.includes(update)) {
        begin(options.newTurnId(), link, false).apply(update);
      }
    },
    async ask(answer) {
      if (running === undefined) return abandoned.size === 0 ? answer : undefined;
      const { turn } = running;
      return turn.waitFor(Promise.race([answer, aborted(turn.signal)]));
    },
    async whenIdle() {
      while (running !== undefined) await running.turn.ended;
    },
  };
}

/** Whatever an agent answers to a prompt that was cancelled: cancelled it is. */
function asCancelled(outcome: TurnOutcome): TurnOutcome {
  return outcome.by === 'answer' ? { ...outcome, stopReason: 'cancelled' } : { by: 'cancel' };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
