import { h, setText } from '../../shared/dom.ts';

export interface BannerValue {
  readonly tone: 'quiet' | 'success' | 'warning' | 'error';
  readonly text: string;
  readonly isBusy?: boolean;
  readonly button?: { readonly label: string; readonly onClick: () => void };
}

/** A strip above the message field for problems of the agent or the connection. */
export function createBanner() {
  const text = h('span', { class: 'banner-text' });
  const button = h('button', { type: 'button', hidden: true });
  const element = h('div', { class: 'banner', hidden: true }, h('span', { class: 'banner-dot' }), text, button);
  let onClick: (() => void) | undefined;
  button.addEventListener('click', () => onClick?.());
  return {
    element,
    update(value: BannerValue | undefined): void {
      element.hidden = value === undefined;
      if (value === undefined) return;
      element.dataset.tone = value.tone;
      element.classList.toggle('is-busy', value.isBusy ?? false);
      setText(text, shorten(value.text));
      button.hidden = value.button === undefined;
      if (value.button !== undefined) setText(button, value.button.label);
      onClick = value.button?.onClick;
    },
  };
}

/** A banner that fills the page would leave no room for the conversation. */
const MAX_LENGTH = 600;

function shorten(text: string): string {
  const left = text.length - MAX_LENGTH;
  return left <= 0 ? text : `${text.slice(0, MAX_LENGTH)}\u2026 (${left} more characters)`;
}
