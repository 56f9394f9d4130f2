import type { SessionId } from '../../../../shared/ids.ts';
import { countedTurnId, type UpsertObject, userItemId } from '../../../../shared/stream-contracts.ts';
import { createHistoryCollector } from '../../../streaming/history.ts';
import type { ActionOf, StreamAction } from '../../../streaming/stream-actions.ts';
import { createTimeSlices } from '../../../time-slice.ts';
import type { Dialect } from './dialect.ts';
import type { SubagentUpdate } from './session-state.ts';
import type { SessionUpdate } from './session-update.ts';
import {
  addSubagentUpdate,
  isSubagentStart,
  type Subagents,
  startSubagent,
  updateSubagent,
} from './translate-subagent.ts';
import { type TranslationContext, translateUpdate } from './translate-update.ts';
import { endTurn, type TurnOutcome } from './turn-outcome.ts';
import { newTurn, type TurnState } from './turn-state.ts';

export interface ReplayOptions {
  readonly sessionId: SessionId;
  readonly providerId: string;
  /** The ids of turns are made from this and their number, so that they are the same at every load. */
  readonly nativeId: string;
  readonly dialect: Dialect;
  /** The time of the load, used where the agent does not report a time. */
  readonly now: string;
  /** What came before, for a replay of the newest turns. */
  readonly after?: { readonly turns: number; readonly time: string | undefined } | undefined;
}

/**
 * Turns the updates of a session that is being loaded into its history. Each turn is collected while the next ones come
 * in, so that little is left to do when the agent has sent the last one.
 */
export interface Replay {
  /** `from` is the session of a sub-agent where it is about one. */
  add(update: SessionUpdate, from?: string): void;
  /** Finished items in order. To be called once, at the end. */
  history(): Promise<UpsertObject[]>;
}

/** How much of the turns that are over is collected with each update: more than one update adds. */
const STEPS_PER_UPDATE = 16;

interface Question {
  readonly messageId: string | undefined;
  readonly content: string;
}

interface ReplayedTurn {
  question: Question | undefined;
  state: TurnState;
  readonly actions: StreamAction[];
}

export function createReplay(options: ReplayOptions): Replay {
  const { nativeId, dialect } = options;
  const context: TranslationContext = { dialect, readTerminal: () => undefined, isReplay: true };
  const isRepeat = createRepeatFilter(dialect);
  const collector = createHistoryCollector({ ...options, now: () => options.now });
  const subagents: Subagents = new Map();
  /** The actions of turns that are over, which are not collected yet. */
  let over: { readonly actions: Iterator<StreamAction>; readonly time: string }[] = [];
  let turns = options.after?.turns ?? 0;
  let time = options.after?.time ?? timeOfId(nativeId) ?? options.now;
  let current: ReplayedTurn | undefined;

  function begin(question: Question | undefined): ReplayedTurn {
    turns += 1;
    time = timeOfId(question?.messageId) ?? time;
    return { question, state: newTurn(countedTurnId(nativeId, turns)), actions: [] };
  }

  function close(): void {
    if (current === undefined) return;
    over.push({ actions: turnActions(current, context).values(), time });
    current = undefined;
  }

  /** Returns false when there is nothing left. */
  function collectNext(): boolean {
    const [first] = over;
    if (first === undefined) return false;
    const { value: action, done } = first.actions.next();
    if (done) over = over.slice(1);
    else collector.add({ action, sourceTimestamp: first.time });
    return true;
  }

  function addQuestion(content: string, messageId: string | undefined): void {
    const asked = current?.actions.length === 0 ? current.question : undefined;
    if (current !== undefined && asked !== undefined && asked.messageId === messageId) {
      const separator = dialect.replaysWholeMessages ? '\n' : '';
      current.question = { messageId, content: `${asked.content}${separator}${content}` };
    } else {
      close();
      current = begin({ messageId, content });
    }
  }

  function addReport(update: SessionUpdate): void {
    current ??= begin(undefined);
    const step = translateUpdate(current.state, update, context);
    current.state = step.state;
    current.actions.push(...step.actions);
  }

  function addSubagent(update: SubagentUpdate): void {
    if (isSubagentStart(subagents, update)) {
      current ??= begin(undefined);
      const step = startSubagent(current.state, subagents, update);
      current.state = step.state;
      current.actions.push(...step.actions);
    }
    addActions(updateSubagent(subagents, update, context));
  }

  function addActions(actions: readonly StreamAction[]): void {
    if (actions.length === 0) return;
    current ??= begin(undefined);
    current.actions.push(...actions);
  }

  return {
    add(update, from) {
      for (let steps = 0; steps < STEPS_PER_UPDATE && collectNext(); steps += 1);
      if (isRepeat(update)) return;
      if (from !== undefined) addActions(addSubagentUpdate(subagents, from, update, context));
      else if (update.sessionUpdate === 'subagent_update') addSubagent(update);
      else if (update.sessionUpdate === 'user_message_chunk')
        addQuestion(update.content, update.messageId ?? undefined);
      else if (isPartOfHistory(update)) addReport(update);
    },
    async history() {
      close();
      const takeTurns = createTimeSlices();
      while (collectNext()) {
        const others = takeTurns();
        if (others !== undefined) await others;
      }
      return collector.items();
    },
  };
}

function turnActions({ question, state, actions }: ReplayedTurn, context: TranslationContext): StreamAction[] {
  return [
    ...(question === undefined ? [] : [userMessage(state.turnId, question.content)]),
    ...wholeMessages(actions),
    ...endTurn(state, outcomeOf(state), context),
  ];
}

function userMessage(turnId: string, content: string): StreamAction {
  return { do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content };
}

/** Joins streamed messages: a whole message costs the core a third of one that arrives in pieces. */
function wholeMessages(actions: readonly StreamAction[]): StreamAction[] {
  const result: StreamAction[] = [];
  const messages = new Map<string, ActionOf<'message'>>();
  for (const action of actions) {
    const message = 'itemId' in action ? messages.get(action.itemId ?? '') : undefined;
    if (action.do === 'item_start' && action.kind === 'message') {
      const { turnId, itemId, parentItemId, content = '' } = action;
      const whole: ActionOf<'message'> = { do: 'message', turnId, itemId, origin: 'agent', content };
      if (parentItemId !== undefined) whole.parentItemId = parentItemId;
      messages.set(itemId, whole);
      result.push(whole);
    } else if (action.do === 'item_delta' && message !== undefined) {
      message.content += action.text;
    } else if (action.do !== 'item_done' || message === undefined) {
      result.push(action);
    }
  }
  return result;
}

/** A replay does not say how a turn ended. One with a call that has no result was cut short. */
function outcomeOf(state: TurnState): TurnOutcome {
  return state.openCalls.all.size > 0 ? { by: 'cancel' } : { by: 'answer', stopReason: 'end_turn' };
}

/** Notices and changes of state only matter while they happen. */
function isPartOfHistory({ sessionUpdate }: SessionUpdate): boolean {
  return (
    sessionUpdate === 'agent_message_chunk' ||
    sessionUpdate === 'agent_thought_chunk' ||
    sessionUpdate === 'tool_call' ||
    sessionUpdate === 'tool_call_update' ||
    sessionUpdate === 'plan'
  );
}

/** Where messages are replayed whole, the same text under the same id is a repetition. */
function createRepeatFilter(dialect: Dialect): (update: SessionUpdate) => boolean {
  if (!dialect.replaysWholeMessages) return () => false;
  const seen = new Set<string>();
  return (update) => {
    const key = keyOfMessage(update);
    if (key === undefined) return false;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  };
}

function keyOfMessage(update: SessionUpdate): string | undefined {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.messageId == null ? undefined : `${update.sessionUpdate}\n${update.messageId}\n${update.content}`;
    default:
      return undefined;
  }
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The time of a version 7 UUID, which begins with the milliseconds since 1970. */
export function timeOfId(id: string | undefined): string | undefined {
  const [, high, low] = UUID_V7.exec(id ?? '') ?? [];
  return high === undefined ? undefined : new Date(Number.parseInt(`${high}${low}`, 16)).toISOString();
}
