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
  /** Ends all background work and its steps as failed. */
  breakBackground(failure: ItemFailure, sourceTimestamp: string): void;
}

export interface ToolCallsOptions {
  readonly turns: Turns;
  readonly items: ItemRegister;
  readonly emitUpdates: boolean;
  readonly emit: (turn: Turn | undefined, emission: ToolEmission) => void;
}

/** Matches results with their calls. A result without a call is shown as a separate call. */
export function createToolCalls({ turns, items, emitUpdates, emit }: ToolCallsOptions): ToolCalls {
  /** The latest item of each call id, because a result may arrive in a later turn than its call. */
  const callItems = new Map<string, string>();

  function make(turn: Turn | undefined, identity: ItemIdentity, facts: ToolCallFacts): ToolCall {
    turn?.itemIds.add(identity.itemId);
    turn?.callItems.set(facts.callId, identity.itemId);
    callItems.set(facts.callId, identity.itemId);
    return createToolCall({ identity, facts, emitUpdates, emit: (emission) => emit(turn, emission) });
  }

  /** Prefers a call of the same turn, because call ids are unique only within a turn. */
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

  /** Ends the open steps of a background call, except those that run in the background themselves. */
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
      const call = findOpen(itemIdOf(callId, turnId));
      if (call === undefined) return;
      items.markBackground(call.itemId);
      call.moveToBackground(taskId, sourceTimestamp);
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
