import { h, placeChildren, setText } from '../../shared/dom.ts';
import type { OfferedDirectories } from './offered-directories.ts';

export interface PathCompletionOptions {
  readonly input: HTMLInputElement;
  /** Returns the directories that start with `prefix`. The result of an aborted call is ignored. */
  readonly complete: (prefix: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Come before the completions. */
  readonly offered: OfferedDirectories;
}

export interface PathCompletion {
  readonly element: HTMLElement;
  /** Shows the options for the current text. */
  open(): void;
  /** The directories that are offered have changed. */
  refresh(): void;
  close(): void;
}

/**
 * Completes directories below a text field. Arrow keys select an option; Enter or Tab accepts it and lists the
 * directories inside it. Tab also accepts the only option. The field keeps the role `textbox`, so a status element
 * announces the number of options.
 */
export function createPathCompletion({ input, complete, offered }: PathCompletionOptions): PathCompletion {
  const list = h('ul', { role: 'listbox', id: 'path-options', 'aria-label': 'Directories', hidden: true });
  // Takes the place of an empty list, so that the buttons below do not move.
  const none = h('p', { class: 'options-none', hidden: true }, 'No directory starts with this.');
  const status = h('p', { class: 'visually-hidden', role: 'status' });
  const element = h('div', { class: 'options' }, list, none, status);
  let request = new AbortController();
  let paths: readonly string[] = [];
  let chosen = -1;
  let hasNone = false;

  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', `${offered.list.id} ${list.id}`);

  /** All options in the order of the arrow keys. A directory that is offered may be completed as well. */
  const choices = (): readonly string[] => [...offered.matching(input.value), ...paths];

  function render(): void {
    const isOpen = paths.length > 0;
    const before = offered.matching(input.value);
    const place = chosen - before.length;
    offered.render(input.value, before[chosen], takeByMouse);
    placeChildren(
      list,
      paths.map((path, index) =>
        h(
          'li',
          {
            class: 'option',
            role: 'option',
            id: `path-option-${index}`,
            'aria-selected': index === place,
            on: { mousedown: (event) => takeByMouse(event, path) },
          },
          path,
        ),
      ),
    );
    list.hidden = !isOpen;
    none.hidden = isOpen || !hasNone;
    setText(status, describe(before.length, paths.length, hasNone));
    const active = offered.list.children[chosen] ?? list.children[place];
    if (chosen === -1 || active === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', active.id);
    active?.scrollIntoView?.({ block: 'nearest' });
  }

  function show(next: readonly string[]): void {
    paths = next;
    chosen = -1;
    render();
  }

  async function ask(): Promise<void> {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    // Until the result arrives, keep only the options that still match: Enter and Tab must not accept an outdated one.
    show(paths.filter((path) => path.startsWith(input.value) && path !== input.value));
    const found = await complete(input.value, signal);
    if (signal.aborted) return;
    hasNone = found.length === 0;
    show(found.filter((path) => path !== input.value));
  }

  function take(path: string): void {
    input.value = `${path}/`;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function takeByMouse(event: Event, path: string): void {
    // Keep the focus in the field.
    event.preventDefault();
    take(path);
  }

  function close(): void {
    request.abort();
    hasNone = false;
    show([]);
  }

  function onKey(event: KeyboardEvent): boolean {
    const all = choices();
    if (all.length === 0) {
      if (event.key === 'ArrowDown') void ask();
      return event.key === 'ArrowDown';
    }
    const pick = all[chosen] ?? (event.key === 'Tab' && paths.length === 1 ? paths[0] : undefined);
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        chosen = (chosen + (event.key === 'ArrowDown' ? 1 : chosen === -1 ? 0 : -1) + all.length) % all.length;
        render();
        return true;
      case 'Tab':
      case 'Enter':
        if (pick === undefined || event.shiftKey) return false;
        take(pick);
        return true;
      default:
        return false;
    }
  }

  input.addEventListener('input', () => void ask());
  input.addEventListener('keydown', (event) => {
    if (!onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element, open: () => void ask(), refresh: () => show(paths), close };
}

function describe(offered: number, count: number, hasNone: boolean): string {
  const used = offered === 0 ? '' : `${offered} used in a terminal`;
  const none = hasNone ? 'No directories' : '';
  const found = count === 0 ? none : count === 1 ? '1 directory' : `${count} directories`;
  return [used, found].filter(Boolean).join(', ');
}
