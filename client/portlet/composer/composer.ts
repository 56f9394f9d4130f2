import { MAX_CONTENT_LENGTH } from '../../../shared/commands.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Environment } from '../base/environment.ts';
import { createDraft } from './draft.ts';
import { fitToText } from './grow.ts';
import type { Work } from '../model/work.ts';

export interface ComposerOptions {
  readonly sessionId: string;
  readonly env: Pick<Environment, 'now' | 'storage' | 'newId'>;
  readonly onSend: (sendId: string, content: string) => void;
  readonly onCancel: () => void;
}

export interface Composer {
  readonly element: HTMLElement;
  /** What runs, or undefined: the next message can be sent. */
  setWork(work: Work | undefined): void;
  /** Sends a text that is not in the field. False when something runs. */
  send(content: string): boolean;
  /** The server has the message; nothing of it needs to be kept. */
  sent(sendId: string): void;
  /** Brings the message back into the field, with the reason. */
  sendFailed(sendId: string, reason: string): void;
  showProblem(reason: string): void;
  focus(): void;
  shown(): void;
}

/** The message field with its buttons. What was typed is never lost: not by a refresh, not by a failed send. */
export function createComposer({ sessionId, env, onSend, onCancel }: ComposerOptions): Composer {
  const draft = createDraft(env.storage, sessionId);
  const underWay = new Map<string, string>();
  let work: Work | undefined;

  const field = h('textarea', {
    class: 'message',
    'aria-label': 'Message',
    placeholder: 'Message',
    rows: 1,
    'aria-describedby': 'problem',
  });
  const sendButton = h('button', { type: 'submit', class: 'primary send' }, 'Send');
  const cancelButton = h('button', { type: 'button', class: 'cancel', hidden: true }, 'Cancel');
  const problem = h('p', { class: 'problem', id: 'problem', role: 'alert', hidden: true });
  const element = h(
    'form',
    { class: 'composer' },
    problem,
    h('div', { class: 'field' }, field, h('div', { class: 'buttons' }, cancelButton, sendButton)),
  );

  const isBlank = (): boolean => field.value.trim() === '';

  function refresh(): void {
    sendButton.disabled = work !== undefined || isBlank();
    fitToText(field);
  }

  /** A message under way is kept as well, until the server has it. */
  function keep(): void {
    draft.write([...underWay.values(), field.value].filter((text) => text.trim() !== '').join('\n\n'));
  }

  function showProblem(reason: string): void {
    problem.hidden = reason === '';
    setText(problem, reason);
  }

  function put(text: string): void {
    field.value = text;
    refresh();
    keep();
  }

  function send(content: string): boolean {
    if (work !== undefined || content.trim() === '') return false;
    if (content.length > MAX_CONTENT_LENGTH) {
      showProblem(`The message is longer than ${MAX_CONTENT_LENGTH} characters. Shorten it, or put it into a file.`);
      return false;
    }
    const sendId = env.newId();
    underWay.set(sendId, content);
    showProblem('');
    onSend(sendId, content);
    return true;
  }

  element.addEventListener('submit', (event) => {
    event.preventDefault();
    if (send(field.value)) put('');
  });
  field.addEventListener('input', () => {
    showProblem('');
    refresh();
    keep();
  });
  field.addEventListener('keydown', (event) => {
    // While an input method composes, Enter accepts its suggestion.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!sendButton.disabled) element.requestSubmit();
  });
  cancelButton.addEventListener('click', onCancel);

  field.value = draft.read();
  refresh();

  return {
    element,
    send,
    showProblem,
    setWork(next) {
      work = next;
      cancelButton.hidden = work === undefined;
      cancelButton.disabled = work?.isCancelling ?? false;
      sendButton.disabled = work !== undefined || isBlank();
    },
    sent(sendId) {
      underWay.delete(sendId);
      keep();
    },
    sendFailed(sendId, reason) {
      const content = underWay.get(sendId);
      underWay.delete(sendId);
      if (content !== undefined) put(isBlank() ? content : `${content}\n\n${field.value}`);
      showProblem(reason);
      field.focus();
    },
    focus: () => field.focus(),
    shown: () => fitToText(field),
  };
}
