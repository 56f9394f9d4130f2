import { h } from '../../shared/dom.ts';
import { escapeInvisible } from '../../shared/escape-invisible.ts';
import { icon } from '../../shared/icons.ts';
import type { Timers } from '../../shared/timers.ts';

const INFO_MS = 5000;
const MAX_SHOWN = 4;

export interface Notices {
  readonly element: HTMLElement;
  /** Disappears after a few seconds. */
  info(text: string): void;
  /** Stays until dismissed. */
  error(text: string): void;
}

export function createNotices(timers: Timers): Notices {
  const list = h('div', { class: 'notice-list' });
  const element = h('section', { class: 'notices', 'aria-label': 'Notices' }, list);

  function show(text: string, kind: 'info' | 'error'): HTMLElement {
    const notice = h(
      'div',
      { class: `notice notice-${kind}`, role: kind === 'error' ? 'alert' : 'status' },
      h('p', {}, text),
      h(
        'button',
        { type: 'button', class: 'quiet icon', 'aria-label': 'Dismiss', on: { click: () => notice.remove() } },
        icon('close'),
      ),
    );
    while (list.childElementCount >= MAX_SHOWN) list.firstElementChild?.remove();
    list.append(notice);
    return notice;
  }

  return {
    element,
    info(text) {
      const notice = show(text, 'info');
      timers.after(INFO_MS, () => notice.remove());
    },
    error(text) {
      // A repeated error replaces its previous notice, so that it is announced again.
      const shown = escapeInvisible(text);
      for (const known of list.querySelectorAll('.notice-error')) if (known.textContent === shown) known.remove();
      show(text, 'error');
    },
  };
}
