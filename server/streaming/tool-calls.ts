import type { ItemRegister } from './item-register.ts';
import type { ItemFailure, ItemIdentity } from './open-item.ts';
import type { ActionOf } from './stream-actions.ts';
import { createToolCall, type ToolCall, type ToolCallFacts, type ToolEmission } from './tool-call.ts';
import type { Turn, Turns } from './turns.ts';

export interface ToolCalls {
  start(action: ActionOf<'tool_start'>, sourceTimestamp: string): void;
  refine(action: ActionOf<'tool_arguments'>, sourceTimestamp: string): void;
  finish(action: ActionOf<'tool_done'>, sourceTimestamp: string): void;
  moveToBackground(action: ActionOf<'tool_background'>, sourceTimestamp: string): void;
  showOutput(action: ActionOf<'tool_output'>, sourceTimestamp: string): void;
  /** Ends all background work and the steps under it as failed. */
  breakBackground(failure: ItemFailure, sourceTimestamp: string): void;
}

export interface ToolCallsOptions {
  readonly turns: Turns;
  readonly items: ItemRegister;
  readonly emitUpdates: boolean;
  readonly emit: (turn: Turn | undefined, emission: ToolEmission) => void;
}

/** Brings results to their calls. A result without a call is shown as a call of its own. */
export function createToolCalls({ turns, items, emitUpdates, emit }: ToolCallsOptions): ToolCalls {
  /** The latest item of each call id: a result may arrive in another turn than its call. */
  const callItems = new Map<string, string>();

  function make(turn: Turn | undefined, identity: ItemIdentity, facts: ToolCallFacts): ToolCall {
    turn?.itemIds.add(identity.itemId);
    turn?.callItems.set(facts.callId, identity.itemId);
    callItems.set(facts.callId, identity.itemId);
    return createToolCall({ identity, facts, emitUpdates, emit: (emission) => emit(turn, emission) });
  }

  /** A call of the same turn comes first, because call ids need to be unique within a turn only. */
  function itemIdOf(callId: string, turnId: string | undefined): string | undefined {
    const turn = turnId === undefined ? undefined : turns.find(turnId);
    return turn?.callItems.get(callId) ?? callItems.get(callId);
  }

  function findOpen(itemId: string | undefined): ToolCall | undefined {
    const item = itemId === undefined ? undefined : items.find(itemId);
    return item?.kind === 'tool' ? item : undefined;
  }

  function showStray(action: ActionOf<'tool_done'>, sourceTimestamp: string): void {
    const { turnId, callId, parentItemId } = action;
    const turn = turns.enter(turnId);
    const wanted = action.itemId ?? `${turnId}:${callId}`;
    const itemId = items.isFree(turn, wanted) ? wanted : `${wanted}:result`;
    const facts = { callId, toolName: 'unknown', toolArguments: {} };
    make(turn, { turnId, itemId, parentItemId }, facts).complete(toResult(action), sourceTimestamp);
  }

  /** What still runs under a background call ends with it, except what goes on in the background itself. */
  function endSteps(itemId: string, failure: ItemFailure | undefined, sourceTimestamp: string): void {
    if (findOpen(itemId)?.taskId === undefined) return;
    for (const step of items.takeAllUnder(itemId)) step.endWithTurn(failure ?? 'completed', sourceTimestamp);
  }

  return {
    start(action, sourceTimestamp) {
      const { turnId, itemId, parentItemId, callId, name, toolKind, diffs } = action;
      if (turns.find(turnId)?.callItems.has(callId)) return;
      const turn = items.begin(turnId, itemId, parentItemId);
      if (turn === undefined) return;
      const facts = { callId, toolName: name, toolArguments: action.arguments ?? {}, toolKind, diffs };
      const call = make(turn, { turnId, itemId, parentItemId }, facts);
      items.add(call);
      call.show(sourceTimestamp);
    },
    refine({ callId, turnId, toolKind, diffs, arguments: toolArguments }, sourceTimestamp) {
      findOpen(itemIdOf(callId, turnId))?.refine({ toolArguments, toolKind, diffs }, sourceTimestamp);
    },
    finish(action, sourceTimestamp) {
      const itemId = itemIdOf(action.callId, action.turnId);
      if (itemId === undefined) {
        showStray(action, sourceTimestamp);
        return;
      }
      const call = findOpen(itemId);
      if (call === undefined) return;
      const { failure } = action;
      endSteps(itemId, failure, sourceTimestamp);
      items.take(itemId);
      if (failure === undefined) call.complete(toResult(action), sourceTimestamp);
      else call.break(toResult(action), failure, sourceTimestamp);
    },
    moveToBackground({ callId, turnId, taskId }, sourceTimestamp) {
      findOpen(itemIdOf(callId, turnId))?.moveToBackground(taskId, sourceTimestamp);
    },
    showOutput({ callId, turnId, output }, sourceTimestamp) {
      findOpen(itemIdOf(callId, turnId))?.showOutput(output, sourceTimestamp);
    },
    breakBackground(failure, sourceTimestamp) {
      for (const call of items.background()) {
        endSteps(call.itemId, failure, sourceTimestamp);
        items.take(call.itemId)?.fail(failure, sourceTimestamp);
      }
    },
  };
}

function toResult({ output, isError, exitCode, diffs }: ActionOf<'tool_done'>) {
  return { toolOutput: output, toolOutputIsError: isError, exitCode, diffs };
}
