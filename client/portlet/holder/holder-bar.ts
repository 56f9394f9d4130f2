import type { Holder } from '../../../shared/entities.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { holderFacts, holderPlace } from '../../shared/holder-text.ts';
import { icon } from '../../shared/icons.ts';
import type { Waiting } from './waiting-message.ts';

export interface HolderBarOptions {
  readonly fork: HTMLButtonElement;
  readonly onFollow: () => void;
  readonly onTakeOver: (takesOver: boolean) => void;
  readonly onWithdraw: () => void;
  /** The bar is gone while a button in it had the focus. */
  readonly onFocusLost: () => void;
}

export interface HolderBarValue {
  readonly holder: Holder | undefined;
  readonly waiting: Waiting;
}

/** Says which other program has the session open, and what can be done about it. */
export function createHolderBar({ fork, onFollow, onTakeOver, onWithdraw, onFocusLost }: HolderBarOptions) {
  const text = h('span', { class: 'holder-text' });
  const follow = h('button', { type: 'button', on: { click: onFollow } }, 'Follow');
  const takeOver = h('button', { type: 'button', 'aria-pressed': false }, 'Take over when it ends');
  takeOver.addEventListener('click', () => onTakeOver(takeOver.getAttribute('aria-pressed') !== 'true'));
  const buttons = h('span', { class: 'holder-buttons' }, follow, fork, takeOver);
  const head = h('div', { class: 'holder-head' }, icon('terminal'), text, buttons);
  const note = h('p', { class: 'holder-note' });
  const message = h('span', { class: 'waiting-text' });
  const withdraw = h('button', { type: 'button', on: { click: onWithdraw } }, 'Withdraw');
  const waitingLine = h('div', { class: 'waiting' }, icon('clock'), message, withdraw);
  const element = h(
    'div',
    { class: 'holder', role: 'group', 'aria-label': 'Open elsewhere', hidden: true },
    head,
    note,
    waitingLine,
  );

  return {
    element,
    update({ holder, waiting }: HolderBarValue, now: number): void {
      const isHeld = holder?.certain === true;
      const hides = holder === undefined && waiting.message === undefined;
      const hadFocus = element.contains(document.activeElement);
      element.hidden = hides;
      element.classList.toggle('is-quiet', !isHeld);
      head.hidden = holder === undefined;
      buttons.hidden = !isHeld;
      setText(text, holder === undefined ? '' : describeHolder(holder, now));
      setAttribute(takeOver, 'aria-pressed', waiting.takesOver);
      note.hidden = !isHeld || !waiting.takesOver || waiting.message !== undefined;
      setText(note, `Your next message is sent when ${nameOf(holder)} ends.`);
      waitingLine.hidden = waiting.message === undefined;
      const until = isHeld ? `${nameOf(holder)} ends` : 'it can be sent';
      setText(message, waiting.message === undefined ? '' : `Waits until ${until}: ${waiting.message.content}`);
      if (hadFocus && isOutOfSight(document.activeElement)) onFocusLost();
    },
  };
}

const isOutOfSight = (element: Element | null): boolean => element === null || element.closest('[hidden]') !== null;

/** `the terminal` or `the other program`. */
export const nameOf = (holder: Holder | undefined): string =>
  holder?.tty === undefined ? 'the other program' : 'the terminal';

export function describeHolder(holder: Holder, now: number): string {
  const facts = [holder.certain ? holder.label : '', holderFacts(holder, now)].filter(Boolean).join(', ');
  return facts === '' ? holderPlace(holder) : `${holderPlace(holder)} (${facts})`;
}
