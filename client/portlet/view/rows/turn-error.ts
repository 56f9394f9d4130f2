import { ownValue } from '../../../../shared/own-value.ts';
import type { TurnSummary } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import { drawClipped } from '../text/clipped-text.ts';
import type { RowAction, RowContext } from './row-context.ts';

interface Remedy {
  readonly title: string;
  readonly button: string;
  readonly action: (turnId: string) => RowAction;
}

const sendAgain = (turnId: string): RowAction => ({ type: 'send-again', turnId });
const reconnect = (): RowAction => ({ type: 'reconnect' });

const REMEDIES: Readonly<Record<string, Remedy>> = {
  AGENT_NOT_SIGNED_IN: { title: 'The agent is not signed in', button: 'Send again', action: sendAgain },
  AGENT_UNAVAILABLE: { title: 'The agent is not available', button: 'Reconnect', action: reconnect },
  AGENT_PROTOCOL_ERROR: { title: 'The agent could not be understood', button: 'Reconnect', action: reconnect },
  PROCESS_CRASH: { title: 'The agent ended unexpectedly', button: 'Send again', action: sendAgain },
  SERVER_STOPPED: { title: 'The server stopped in the middle of this turn', button: 'Send again', action: sendAgain },
  TURN_TIMEOUT: { title: 'The agent was silent for too long', button: 'Send again', action: sendAgain },
};
const DEFAULT_REMEDY: Remedy = { title: 'The turn failed', button: 'Send again', action: sendAgain };

/** The message contains the command to sign in with in quotes, near its beginning. */
const MAX_SEARCHED = 2_000;
const QUOTED = /["`]([^"`]+)["`]/;

/** What happened, with the agent's message, and a button for what to do about it. Only the last turn has the button. */
export function drawTurnError(turn: TurnSummary, isLast: boolean, { onAction }: RowContext): HTMLElement {
  const { title, button, action } = ownValue(REMEDIES, turn.errorCode ?? '') ?? DEFAULT_REMEDY;
  const message = turn.errorMessage ?? '';
  const command =
    turn.errorCode === 'AGENT_NOT_SIGNED_IN'
      ? QUOTED.exec(escapeInvisible(message.slice(0, MAX_SEARCHED)))?.[1]
      : undefined;
  return h(
    'div',
    { class: 'turn-error', role: 'group', 'aria-label': title },
    h('p', { class: 'turn-error-title' }, title),
    message !== '' && h('p', { class: 'turn-error-message' }, ...drawClipped(message)),
    isLast &&
      h(
        'p',
        { class: 'turn-error-actions' },
        command !== undefined && actionButton('Copy command', () => onAction({ type: 'copy', text: command })),
        actionButton(button, () => onAction(action(turn.turnId))),
      ),
  );
}

function actionButton(label: string, onClick: () => void): HTMLElement {
  return h('button', { type: 'button', on: { click: onClick } }, label);
}
