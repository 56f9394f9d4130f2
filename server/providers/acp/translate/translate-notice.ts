import { errorCatalogue } from '../../../../shared/errors.ts';
import { ownValue } from '../../../../shared/own-value.ts';
import type { StreamAction } from '../../../streaming/stream-actions.ts';
import type { AgentTrouble, Notice, SessionInfo } from './session-update.ts';
import { addNotice, andThen, type Step, type TurnState } from './turn-state.ts';

/** Holds a notice back until it is known whether it is the reason why the turn failed. */
export function holdNotice(state: TurnState, text: string): Step {
  const notice = text.trim();
  if (notice === '') return { state, actions: [] };
  return andThen(showHeldNotice(state), (current) => ({ state: { ...current, heldNotice: notice }, actions: [] }));
}

export function showHeldNotice(state: TurnState): Step {
  if (state.heldNotice === undefined) return { state, actions: [] };
  return addNotice({ ...state, heldNotice: undefined }, state.heldNotice);
}

const PREFIXES: Readonly<Record<string, string>> = { warning: 'Warning: ', error: 'Error: ' };

export function addTypedNotice(state: TurnState, notice: Notice): Step {
  return addNotice(state, noticeText(notice));
}

export function noticeText({ severity, title, description }: Notice): string {
  return `${ownValue(PREFIXES, severity) ?? ''}${title}${description ? `\n\n${description}` : ''}`;
}

/** Codex reports the state of its model connection here. Titles are not taken from the agent. */
export function addSessionInfo(state: TurnState, info: SessionInfo): Step {
  const codex = info._meta?.codex;
  if (codex?.error) return addTrouble(state, codex.error);
  switch (codex?.threadStatus?.type) {
    case 'systemError':
      return { state: { ...state, hasFailed: true }, actions: [] };
    case 'active':
      return { state: { ...state, hasFailed: false }, actions: [] };
    default:
      return { state, actions: [] };
  }
}

/** The agent starts its answer again. The first part stays, marked as abandoned, with the reason below it. */
function addTrouble(state: TurnState, trouble: AgentTrouble): Step {
  return andThen(trouble.willRetry ? abandonText(state) : keep(state), (current) =>
    addNotice(current, troubleText(trouble)),
  );
}

function keep(state: TurnState): Step {
  return { state, actions: [] };
}

function abandonText(state: TurnState): Step {
  if (state.text === undefined) return keep(state);
  const abandoned: StreamAction = {
    do: 'item_error',
    itemId: state.text.itemId,
    code: 'STREAM_RETRIED',
    message: errorCatalogue.STREAM_RETRIED.message,
  };
  return { state: { ...state, text: undefined }, actions: [abandoned] };
}

/** Codex counts its attempts in the message: "Reconnecting... 1/5". */
function troubleText({ message, additionalDetails, willRetry }: AgentTrouble): string {
  const [, attempt, attempts] = /(\d+)\s*\/\s*(\d+)/.exec(message) ?? [];
  const what = willRetry && attempt ? `Connecting to the model again, attempt ${attempt} of ${attempts}` : message;
  return additionalDetails ? `${what}: ${additionalDetails}` : what;
}
