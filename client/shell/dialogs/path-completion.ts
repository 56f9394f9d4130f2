import { h, placeChildren, setText } from '../../shared/dom.ts';

export interface PathCompletionOptions {
  readonly input: HTMLInputElement;
  /** Directories that begin with what was typed. An aborted question may answer anything. */
  readonly complete: (prefix: string, signal: AbortSignal) => Promise<readonly string[]>;
}

export interface PathCompletion {
  readonly element: HTMLElement;
  /** Shows what there is to choose from. */
  open(): void;
  close(): void;
}

/**
 * Completes directories under a text field: arrows choose, Tab or Enter takes the chosen one (Tab the only one, too) and
 * goes on inside it. The field stays a textbox, the role it is promised under, so a status says what can be chosen.
 */
export function createPathCompletion({ input, complete }: PathCompletionOptions): PathCompletion {
  const list = h('ul', { role: 'listbox', id: 'path-options', 'aria-label': 'Directories', hidden: true });
  // Keeps its place while the list comes and goes, so that the buttons below stay where they are.
  const none = h('p', { class: 'options-none', hidden: true }, 'No directory begins like this.');
  const status = h('p', { class: 'visually-hidden', role: 'status' });
  const element = h('div', { class: 'options' }, list, none, status);
  let asking = new AbortController();
  let paths: readonly string[] = [];
  let chosen = -1;
  let hasNone = false;

  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);

  function render(): void {
    const isOpen = paths.length > 0;
    placeChildren(
      list,
      paths.map((path, index) =>
        h(
          'li',
          {
            class: 'option',
            role: 'option',
            id: `path-option-${index}`,
            'aria-selected': index === chosen,
            on: { mousedown: (event) => takeByMouse(event, path) },
          },
          path,
        ),
      ),
    );
    list.hidden = !isOpen;
    none.hidden = isOpen || !hasNone;
    setText(status, describe(paths.length, hasNone));
    if (chosen === -1) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `path-option-${chosen}`);
    list.children[chosen]?.scrollIntoView?.({ block: 'nearest' });
  }

  function show(next: readonly string[]): void {
    paths = next;
    chosen = -1;
    render();
  }

  async function ask(): Promise<void> {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    // Until the answer is here, only what still fits can be chosen: Enter and Tab must not take what is out of date.
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
    // The field keeps the focus.
    event.preventDefault();
    take(path);
  }

  function close(): void {
    asking.abort();
    hasNone = false;
    show([]);
  }

  function onKey(event: KeyboardEvent): boolean {
    if (paths.length === 0) {
      if (event.key === 'ArrowDown') void ask();
      return event.key === 'ArrowDown';
    }
    const pick = paths[chosen] ?? (event.key === 'Tab' && paths.length === 1 ? paths[0] : undefined);
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        chosen = (chosen + (event.key === 'ArrowDown' ? 1 : chosen === -1 ? 0 : -1) + paths.length) % paths.length;
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
  return { element, open: () => void ask(), close };
}

function describe(count: number, hasNone: boolean): string {
  if (count === 0) return hasNone ? 'No directories' : '';
  return count === 1 ? '1 directory' : `${count} directories`;
}
