import { h, setText } from '../../shared/dom.ts';

export interface ConfirmQuestion {
  readonly title: string;
  readonly body: string;
  /** Label of the confirm button. */
  readonly confirm: string;
}

/** Asks for confirmation, one question at a time. Escape and Cancel mean no. */
export function createConfirmDialog() {
  const title = h('h2', { id: 'confirm-title' });
  const body = h('p', { id: 'confirm-body' });
  const yes = h('button', { type: 'submit', class: 'primary', value: 'yes' });
  const no = h('button', { type: 'button', on: { click: () => element.close('') } }, 'Cancel');
  const form = h('form', { method: 'dialog' }, title, body, h('div', { class: 'dialog-buttons' }, no, yes));
  const element = h(
    'dialog',
    { 'aria-labelledby': 'confirm-title', 'aria-describedby': 'confirm-body', class: 'dialog' },
    form,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    element.close('yes');
  });
  let resolve: ((yes: boolean) => void) | undefined;
  function answer(): void {
    resolve?.(!element.open && element.returnValue === 'yes');
    resolve = undefined;
  }
  // It comes a moment after the dialog was closed, so the next question may be open already.
  element.addEventListener('close', () => {
    if (!element.open) answer();
  });

  return {
    element,
    ask(question: ConfirmQuestion): Promise<boolean> {
      answer();
      setText(title, question.title);
      setText(body, question.body);
      setText(yes, question.confirm);
      element.returnValue = '';
      element.showModal();
      return new Promise((settle) => {
        resolve = settle;
      });
    },
  };
}
