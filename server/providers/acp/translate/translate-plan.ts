import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { PlanEntry } from './session-update.ts';
import { andThen, closeText, nextItem, type Step, type TurnState } from './turn-state.ts';

/**
 * A plan is shown as one tool call that is updated in place, like that of a to-do tool: its entries are the arguments
 * and a Markdown task list is the output.
 */
const planCallId = ({ itemPrefix }: TurnState) => `${itemPrefix}:plan`;

export function addPlan(state: TurnState, entries: readonly PlanEntry[]): Step {
  const known = state.plan;
  const toolArguments = { entries: entries.map(({ content, status }) => ({ content, status })) };
  if (known !== undefined) {
    const change: StreamAction = {
      do: 'tool_arguments',
      turnId: state.turnId,
      callId: planCallId(state),
      arguments: toolArguments,
    };
    return { state: { ...state, plan: entries }, actions: [change] };
  }
  return andThen(closeText(state), (closed) => ({
    state: { ...closed, itemCount: closed.itemCount + 1, plan: entries },
    actions: [
      {
        do: 'tool_start',
        ...nextItem(closed),
        callId: planCallId(closed),
        name: 'plan',
        toolKind: 'think',
        arguments: toolArguments,
      },
    ],
  }));
}

export function finishPlan(state: TurnState): Step {
  if (state.plan === undefined) return { state, actions: [] };
  const output = toTaskList(state.plan);
  return {
    state,
    actions: [{ do: 'tool_done', turnId: state.turnId, callId: planCallId(state), output, isError: false }],
  };
}

const MARKS = { pending: '[ ]', in_progress: '[ ]', completed: '[x]' } as const;

function toTaskList(entries: readonly PlanEntry[]): string {
  return entries
    .map(({ content, status }) => `- ${MARKS[status]} ${status === 'in_progress' ? `**${content}**` : content}`)
    .join('\n');
}
