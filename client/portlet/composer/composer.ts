import { MAX_CONTENT_LENGTH } from '../../../shared/commands.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { Environment } from '../base/environment.ts';
import type { Work } from '../model/work.ts';
import { createDraft } from './draft.ts';

export interface ComposerOptions {
  readonly sessionId: string;
  readonly env: Pick<Environment, 'storage'>;
  /** Takes a message, or returns why it cannot be sent now. */
  readonly onSend: (content: string) => string | undefined;
  /** Text was typed or pasted. */
  readonly onInput: () => void;
  readonly onCancel: () => void;
}

export interface Composer {
  readonly element: HTMLElement;
  /** The current work; undefined when the next message can be sent. */
  setWork(work: Work | undefined): void;
  /** Sends a text that is not in the field. Returns false while the agent works. */
  send(content: string): boolean;
  /** Puts a message that was not sent back into the field and shows the reason. */
  giveBack(content: string, reason: string): void;
  showProblem(reason: string): void;
  setPlaceholder(text: string): void;
  /** Sends what is in the field. */
  submit(): void;
  focus(): void;
  shown(): void;
}

/** The message field with its buttons. Typed text survives a refresh. */
export function createComposer({ sessionId, env, onSend, onInput, onCancel }: ComposerOptions): Composer {
  const draft = createDraft(env.storage, sessionId);
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

  function showProblem(reason: string): void {
    problem.hidden = reason === '';
    setText(problem, reason);
  }

  function put(text: string): void {
    field.value = text;
    refresh();
    draft.write(text);
  }

  function send(content: string): boolean {
    if (work !== undefined || content.trim() === '') return false;
    if (content.length > MAX_CONTENT_LENGTH) {
      showProblem(`The message is longer than ${MAX_CONTENT_LENGTH} characters. Shorten it, or put it into a file.`);
      return false;
    }
    const reason = onSend(content);
    showProblem(reason ?? '');
    return reason === undefined;
  }

  function submit(): void {
    if (send(field.value)) put('');
  }

  element.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener('input', () => {
    onInput();
    showProblem('');
    refresh();
    draft.write(isBlank() ? '' : field.value);
  });
  field.addEventListener('keydown', (event) => {
    // While an input method is composing, Enter accepts its suggestion.
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
    giveBack(content, reason) {
      put(isBlank() ? content : `${content}\n\n${field.value}`);
      showProblem(reason);
      field.focus();
    },
    setPlaceholder: (text) => setAttribute(field, 'placeholder', text),
    submit,
    focus: () => field.focus(),
    shown: () => fitToText(field),
  };
}

const MAX_LINES = 12;

/** Gives the field the height of its text, between one line and twelve. */
function fitToText(field: HTMLTextAreaElement): void {
  // A hidden page has no heights to measure.
  if (field.clientWidth === 0) return;
  const style = getComputedStyle(field);
  const line = Number.parseFloat(style.lineHeight);
  const padding = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom);
  const border = field.offsetHeight - field.clientHeight;
  field.style.height = 'auto';
  const lines = Math.round((field.scrollHeight - padding) / line);
  field.style.height = `${Math.min(Math.max(lines, 1), MAX_LINES) * line + padding + border}px`;
  field.style.overflowY = lines > MAX_LINES ? 'auto' : 'hidden';
}
