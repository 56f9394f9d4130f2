import type { Context } from '../../../shared/entities.ts';
import type { ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { describeContext } from './context-text.ts';

/** The session that the context is from, if it is known. */
type Origin = Extract<ShellToPortlet, { type: 'session:info' }>['origin'];

export interface ContextReceiptOptions {
  readonly now: () => number;
  readonly onOpen: (sessionId: string) => void;
}

/** Says in a few words what the model has. A click or a key shows what that means. */
export function createContextReceipt({ now, onOpen }: ContextReceiptOptions) {
  const label = h('span', { class: 'context-label' });
  const sign = icon('warning');
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'quiet context',
      'aria-expanded': false,
      'aria-controls': 'context-note',
      hidden: true,
      on: { click: () => setOpen(note.hidden === true) },
    },
    icon('layers'),
    sign,
    h('span', { class: 'visually-hidden' }, 'What the model has:'),
    label,
  );
  const explanation = h('p', {});
  const open = h('button', { type: 'button', class: 'quiet', hidden: true });
  const note = h('div', { class: 'context-note', id: 'context-note', hidden: true }, explanation, open);
  let origin: string | undefined;
  open.addEventListener('click', () => origin !== undefined && onOpen(origin));

  function setOpen(isOpen: boolean): void {
    note.hidden = !isOpen;
    setAttribute(toggle, 'aria-expanded', isOpen);
  }

  return {
    toggle,
    note,
    /** Undefined while it is not known. */
    update(context: Context | undefined, from: Origin): void {
      toggle.hidden = context === undefined;
      if (toggle.hidden) setOpen(false);
      if (context === undefined) return;
      const text = describeContext(context, now(), from?.title);
      toggle.classList.toggle('is-warning', text.isWarning);
      sign.toggleAttribute('hidden', !text.isWarning);
      setText(label, text.label);
      setAttribute(toggle, 'title', text.explanation);
      setText(explanation, text.explanation);
      origin = from?.sessionId;
      open.hidden = origin === undefined;
      setText(open, `Open “${from?.title ?? ''}”`);
    },
  };
}
