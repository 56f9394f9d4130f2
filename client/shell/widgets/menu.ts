import { h, placeChildren } from '../../shared/dom.ts';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: Node;
  /** Shown below the label: a status, or why the item is disabled. */
  readonly note?: string;
  readonly disabled?: boolean;
  readonly checked?: boolean;
  /** A line separates it from the items above. */
  readonly startsGroup?: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface MenuOptions {
  readonly label: string;
  readonly onChoose: (id: string) => void;
}

export interface Menu {
  /** Opens below `anchor`, or at the pointer, and focuses the checked item or the first enabled one. */
  open(anchor: HTMLElement, items: readonly MenuItem[], pointer?: Point): void;
  /** Replaces the items without moving the focus. */
  update(items: readonly MenuItem[]): void;
  /** Closes without choosing an item. The focus returns to the anchor. */
  close(): void;
  isOpen(): boolean;
}

/** A popup menu for arrow keys, Home, End, letters and Enter. Escape, Tab or a click elsewhere closes it. */
export function createMenu({ label, onChoose }: MenuOptions): Menu {
  const element = h('div', { class: 'menu', role: 'menu', 'aria-label': label, hidden: true, tabindex: -1 });
  let anchor: HTMLElement | null = null;
  let listening = new AbortController();

  const entries = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>('[role^=menuitem]')];

  function render(items: readonly MenuItem[]): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.id;
    const held = element.contains(document.activeElement);
    placeChildren(element, items.map(entryOf));
    if (held) (entries().find(({ dataset }) => dataset.id === focused) ?? element).focus();
  }

  function entryOf(item: MenuItem, index: number): HTMLElement {
    const noteId = `${element.id}-note-${index}`;
    const button = h(
      'button',
      {
        type: 'button',
        class: 'menu-item',
        role: item.checked === undefined ? 'menuitem' : 'menuitemradio',
        tabindex: -1,
        'data-id': item.id,
        'aria-describedby': item.note === undefined ? null : noteId,
        'aria-disabled': item.disabled ? true : null,
        'aria-checked': item.checked ?? null,
        on: { click: () => choose(item) },
      },
      item.icon,
      h('span', { class: 'menu-label' }, item.label),
    );
    const note = item.note !== undefined && h('span', { class: 'menu-note', id: noteId }, item.note);
    return h('div', { class: `menu-entry${item.startsGroup ? ' starts-group' : ''}`, role: 'none' }, button, note);
  }

  function choose(item: MenuItem): void {
    if (item.disabled) return;
    close();
    onChoose(item.id);
  }

  function close(): void {
    if (anchor === null) return;
    const back = anchor;
    const held = element.contains(document.activeElement);
    anchor = null;
    listening.abort();
    element.hidden = true;
    back.setAttribute('aria-expanded', 'false');
    if (held) back.focus();
  }

  function onKey(event: KeyboardEvent): void {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const target = menuKeyTarget(event.key, at, all);
    if (target !== undefined) target.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  element.addEventListener('keydown', onKey);
  element.id = `menu-${label.toLowerCase().replaceAll(' ', '-')}`;

  return {
    update: render,
    close,
    isOpen: () => anchor !== null,
    open(newAnchor, items, pointer) {
      close();
      anchor = newAnchor;
      newAnchor.setAttribute('aria-expanded', 'true');
      // Appended to the landmark that contains the anchor.
      (newAnchor.closest('main, aside') ?? document.body).append(element);
      render(items);
      element.hidden = false;
      place(element, pointer === undefined ? newAnchor.getBoundingClientRect() : boxAt(pointer));
      const all = entries();
      const first = all.find((entry) => entry.getAttribute('aria-checked') === 'true');
      (first ?? all.find((entry) => !entry.hasAttribute('aria-disabled')) ?? all[0] ?? element).focus();
      listening = new AbortController();
      const { signal } = listening;
      const onOutside = (event: Event) => {
        const target = event.target as Node;
        if (!element.contains(target) && !newAnchor.contains(target)) close();
      };
      document.addEventListener('pointerdown', onOutside, { signal, capture: true });
      window.addEventListener('blur', close, { signal });
      window.addEventListener('resize', close, { signal });
    },
  };
}

function menuKeyTarget(key: string, at: number, entries: readonly HTMLElement[]): HTMLElement | undefined {
  switch (key) {
    case 'ArrowDown':
      return entries[(at + 1) % entries.length];
    case 'ArrowUp':
      return entries.at(at <= 0 ? -1 : at - 1);
    case 'Home':
      return entries[0];
    case 'End':
      return entries.at(-1);
    default:
      if (key.length !== 1) return undefined;
      return [...entries.slice(at + 1), ...entries.slice(0, at + 1)].find((entry) =>
        entry.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()),
      );
  }
}

type Box = Pick<DOMRect, 'left' | 'top' | 'bottom'>;

const boxAt = ({ x, y }: Point): Box => ({ left: x, top: y, bottom: y });

const MARGIN = 8;
const GAP = 4;

/** Places the menu below the box, or above it where there is more room, moved left if it would not fit. */
function place(element: HTMLElement, from: Box): void {
  element.style.maxHeight = '';
  const left = Math.max(MARGIN, Math.min(from.left, innerWidth - element.offsetWidth - MARGIN));
  const below = innerHeight - from.bottom - GAP - MARGIN;
  const above = from.top - GAP - MARGIN;
  const isAbove = element.offsetHeight > below && above > below;
  element.style.left = `${left}px`;
  element.style.maxHeight = `${Math.max(120, isAbove ? above : below)}px`;
  element.style.top = isAbove ? 'auto' : `${from.bottom + GAP}px`;
  element.style.bottom = isAbove ? `${innerHeight - from.top + GAP}px` : 'auto';
}
