import { keepFocus } from '../widgets/keep-focus.ts';

/**
 * Keyboard navigation in the list of projects and sessions. The list is a single tab stop; arrow keys move inside it,
 * and Tab continues to the buttons of the focused row.
 */
export interface SidebarKeys {
  /** Runs a change to the rows without losing the focus or the tab stop. */
  during(change: () => void): void;
  focusFirst(): void;
}

export interface SidebarKeysOptions {
  /** The user goes up from the first row. */
  readonly onLeaveUp: () => void;
  /** Returns whether there was anything to undo. */
  readonly onUndo: () => boolean;
}

const ROW = '[data-row]';

export function createSidebarKeys(list: HTMLElement, { onLeaveUp, onUndo }: SidebarKeysOptions): SidebarKeys {
  let current: string | null = null;
  /** The buttons of the current row. All others are created outside the tab order. */
  let stops: ReadonlySet<HTMLElement> = new Set();

  const rows = (): HTMLElement[] =>
    [...list.querySelectorAll<HTMLElement>(ROW)].filter((row) => !row.closest('[hidden]'));
  const lineOf = (row: Element) => row.closest('.project-head, .session') ?? row;
  const rowOf = (element: Element) =>
    lineOf(element).querySelector<HTMLElement>(ROW) ?? element.closest<HTMLElement>(ROW);

  function refresh(): void {
    const all = rows();
    const chosen =
      all.find((row) => row.dataset.row === current) ??
      all.find((row) => row.getAttribute('aria-current') === 'true') ??
      all[0];
    const next = new Set(
      chosen === undefined ? [] : [chosen, ...lineOf(chosen).querySelectorAll<HTMLElement>('button')],
    );
    for (const button of stops) if (!next.has(button)) button.tabIndex = -1;
    for (const button of next) button.tabIndex = 0;
    stops = next;
  }

  function focus(row: HTMLElement | undefined): boolean {
    row?.focus();
    return row !== undefined;
  }

  /** Toggles a project or its archive if its state is `expanded`. */
  function toggle(row: HTMLElement, expanded: boolean): boolean {
    const fold = row.parentElement;
    const isExpanded = fold instanceof HTMLDetailsElement ? fold.open : row.getAttribute('aria-expanded') === 'true';
    const applies = (row.matches('.project-row') || fold instanceof HTMLDetailsElement) && isExpanded === expanded;
    if (applies) row.click();
    return applies;
  }

  function press(action: string, row: Element): boolean {
    const button = lineOf(row).querySelector<HTMLElement>(`[data-action=${action}]`);
    button?.click();
    return button !== null;
  }

  function move(event: KeyboardEvent, row: HTMLElement): boolean {
    const all = rows();
    const at = all.indexOf(row);
    switch (event.key) {
      case 'ArrowDown':
        return focus(all[at + 1]);
      case 'ArrowUp':
        if (at > 0) return focus(all[at - 1]);
        onLeaveUp();
        return true;
      case 'Home':
        return focus(all[0]);
      case 'End':
        return focus(all.at(-1));
      case 'ArrowRight':
        return toggle(row, false) || focus(all[at + 1]);
      case 'ArrowLeft':
        return toggle(row, true) || focus(row.closest('.project')?.querySelector<HTMLElement>(ROW) ?? undefined);
      case 'Delete':
        return press('archive', row) || press('remove', row) || press('delete', row);
      default:
        return false;
    }
  }

  list.addEventListener('focusin', (event) => {
    const row = rowOf(event.target as Element);
    current = row?.dataset.row ?? current;
    refresh();
  });
  list.addEventListener('keydown', (event) => {
    const isUndo = event.key === 'z' && event.ctrlKey !== event.metaKey && !(event.target instanceof HTMLInputElement);
    if (isUndo && !event.altKey && !event.shiftKey && onUndo()) event.preventDefault();
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = rowOf(event.target as Element);
    if (row !== null && move(event, row)) event.preventDefault();
  });

  return {
    during(change) {
      keepFocus(list, rows, change);
      refresh();
    },
    focusFirst: () => focus(rows()[0]),
  };
}
