import { h } from '../../shared/dom.ts';
import { escapeInvisible } from '../../shared/escape-invisible.ts';
import { icon } from '../../shared/icons.ts';
import type { Timers } from '../../shared/timers.ts';

const INFO_MS = 5000;
const ACTION_MS = 10_000;
const MAX_SHOWN = 4;

export interface NoticeOptions {
  readonly action?: { readonly label: string; readonly title?: string; readonly onClick: () => void };
  /** It stays until dismissed. */
  readonly stays?: boolean;
  readonly onClosed?: () => void;
}

export interface Notices {
  readonly element: HTMLElement;
  /**
   * Disappears after a few seconds, later if there is something to do, and never under the pointer or the focus. The
   * returned function closes it.
   */
  info(text: string, options?: NoticeOptions): () => void;
  /** Stays until dismissed. */
  error(text: string): void;
}

export function createNotices(timers: Timers): Notices {
  const list = h('div', { class: 'notice-list' });
  const element = h('section', { class: 'notices', 'aria-label': 'Notices' }, list);
  const closing = new WeakMap<Element, () => void>();

  function close(notice: Element): void {
    notice.remove();
    const onClosed = closing.get(notice);
    closing.delete(notice);
    onClosed?.();
  }

  function show(text: string, kind: 'info' | 'error', { action, onClosed }: NoticeOptions = {}): HTMLElement {
    const act = () => {
      close(notice);
      action?.onClick();
    };
    const notice = h(
      'div',
      { class: `notice notice-${kind}`, role: kind === 'error' ? 'alert' : 'status' },
      h('p', {}, text),
      action &&
        h('button', { type: 'button', class: 'notice-action', title: action.title, on: { click: act } }, action.label),
      h(
        'button',
        { type: 'button', class: 'quiet icon', 'aria-label': 'Dismiss', on: { click: () => close(notice) } },
        icon('close'),
      ),
    );
    closing.set(notice, onClosed ?? (() => undefined));
    while (list.firstElementChild !== null && list.childElementCount >= MAX_SHOWN) close(list.firstElementChild);
    list.append(notice);
    return notice;
  }

  function closeAfter(notice: Element, ms: number): void {
    timers.after(ms, () => {
      const isUsed = notice.contains(document.activeElement) || notice.matches(':hover');
      if (isUsed) closeAfter(notice, INFO_MS);
      else close(notice);
    });
  }

  return {
    element,
    info(text, options = {}) {
      const notice = show(text, 'info', options);
      if (!options.stays) closeAfter(notice, options.action === undefined ? INFO_MS : ACTION_MS);
      return () => close(notice);
    },
    error(text) {
      // A repeated error replaces its previous notice, so that it is announced again.
      const shown = escapeInvisible(text);
      for (const known of list.querySelectorAll('.notice-error')) if (known.textContent === shown) close(known);
      show(text, 'error');
    },
  };
}
