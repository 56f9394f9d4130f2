import type { Project } from '../../../shared/entities.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Outcome } from '../server/outcome.ts';
import { createOfferedDirectories, type OfferedDirectory } from './offered-directories.ts';
import { createPathCompletion } from './path-completion.ts';

export interface AddProjectDialogOptions {
  readonly add: (path: string) => Promise<Outcome<{ readonly project: Project }>>;
  readonly onAdded: (project: Project) => void;
  readonly complete: (prefix: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Directories that are no project and in which agents were used in a terminal. */
  readonly findUsed: () => Promise<readonly OfferedDirectory[]>;
  readonly now: () => number;
}

export function createAddProjectDialog({ add, onAdded, complete, findUsed, now }: AddProjectDialogOptions) {
  const input = h('input', {
    type: 'text',
    id: 'project-path',
    class: 'path',
    placeholder: '~/code/my-project',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': 'project-path-error',
  });
  const offered = createOfferedDirectories(now);
  const completion = createPathCompletion({ input, complete, offered });
  const error = h('p', { class: 'field-error', id: 'project-path-error', role: 'alert' });
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Add');
  const cancel = h('button', { type: 'button', on: { click: () => element.close() } }, 'Cancel');
  const form = h(
    'form',
    { novalidate: true },
    h('h2', { id: 'add-project-title' }, 'Add project'),
    h('p', { class: 'hint' }, 'A directory on this machine for agents to work in. Tab completes the path.'),
    h('label', { for: 'project-path' }, 'Project path'),
    input,
    error,
    offered.element,
    completion.element,
    h('div', { class: 'dialog-buttons' }, cancel, submit),
  );
  const element = h('dialog', { class: 'dialog', 'aria-labelledby': 'add-project-title' }, form);

  function showError(text: string): void {
    setText(error, text);
    if (text === '') input.removeAttribute('aria-invalid');
    else input.setAttribute('aria-invalid', 'true');
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const path = withoutTrailingSlash(input.value.trim());
    completion.close();
    if (path === '') {
      showError('Enter the path of a directory.');
      input.focus();
      return;
    }
    submit.disabled = true;
    const outcome = await add(path);
    submit.disabled = false;
    if (outcome.ok) {
      element.close();
      onAdded(outcome.value.project);
      return;
    }
    showError(outcome.error.message);
    input.focus();
    completion.open();
  });
  input.addEventListener('input', () => showError(''));

  async function offer(): Promise<void> {
    offered.set([]);
    offered.set(await findUsed());
    if (element.open) completion.refresh();
  }

  return {
    element,
    /** With what was typed already. */
    open(typed = ''): void {
      if (element.open) return;
      input.value = typed;
      void offer();
      showError('');
      element.showModal();
      input.focus();
      completion.open();
    },
  };
}

const withoutTrailingSlash = (path: string): string => path.replace(/(?<=.)[/\\]+$/, '');
