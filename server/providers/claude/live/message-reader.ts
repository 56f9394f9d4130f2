import { createTranslator, type DriverAction, type SessionSink } from '../../../engine/driver.ts';
import { initialLiveState } from './live-state.ts';
import { type NativeMessage, turnsNamedBy, type Untyped } from './native-messages.ts';
import { translate } from './translate-live.ts';

/** Translates what the SDK yields and reports it to the engine. */
export interface MessageReader {
  receive(message: NativeMessage): void;
  /** A message goes out; its turn counts as open from now on. */
  expectTurn(turnId: string): void;
  /** Turns are open that the agent has not ended. */
  isBusy(): boolean;
  /** The ids of the tasks that run in the background. */
  backgroundTasks(): readonly string[];
}

export function createMessageReader(
  sink: SessionSink,
  onProblem: (message: string, error?: unknown) => void,
): MessageReader {
  const openTurns = new Set<string>();
  /** By the ids of their calls. */
  const tasks = new Map<string, string>();
  const translateNext = createTranslator(initialLiveState, translate);

  function keepCount(action: DriverAction): void {
    if (action.do === 'turn_start') openTurns.add(action.turnId);
    if (action.do === 'turn_done' || action.do === 'turn_error') openTurns.delete(action.turnId);
    if (action.do === 'tool_background') tasks.set(action.callId, action.taskId);
    if (action.do === 'tool_done') tasks.delete(action.callId);
  }

  function read(message: NativeMessage): void {
    const taken = turnsNamedBy(message).map((turnId) => ({ do: 'taken', turnId }) as const);
    if (taken.length > 0) sink.apply(taken);
    const actions = translateNext(message);
    for (const action of actions) keepCount(action);
    sink.apply(actions, timeOf(message));
  }

  return {
    receive(message) {
      try {
        read(message);
      } catch (error) {
        onProblem('A message of Claude Code could not be translated.', error);
        sink.touch();
      }
    },
    expectTurn: (turnId) => openTurns.add(turnId),
    isBusy: () => openTurns.size > 0,
    backgroundTasks: () => [...tasks.values()],
  };
}

/** When it happened, where the message tells. */
function timeOf({ timestamp }: Untyped): string | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
