import { escapeInvisible, escapeInvisibleInLine } from './escape-invisible.ts';

type Child = Node | string | null | undefined | false;

type Listeners = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

interface Attributes {
  readonly class?: string;
  readonly on?: Listeners;
  /** Removes the listeners in `on` when aborted. */
  readonly signal?: AbortSignal;
  readonly [attribute: string]: unknown;
}

/**
 * Creates an element: `h('button', {class: 'quiet', 'aria-label': 'Close', on: {click: close}}, icon)`.
 * Attributes that are `false`, `null` or `undefined` are omitted and `true` becomes an empty value; for `aria-*`,
 * `true` and `false` are written as they are. String children become text nodes, never markup.
 *
 * Everything that a person reads (text, and the attributes in `READ_ATTRIBUTES`) passes through `escapeInvisible`, because
 * most of it comes from files, agents and models. Ids, addresses and values stay as they are.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element in the same way. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/** Attributes that a person reads or hears. */
const READ_ATTRIBUTES = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'label',
  'placeholder',
  'title',
]);

/** Sets one attribute by the rules of `h`. */
export function setAttribute(element: Element, name: string, value: unknown): void {
  const isAria = name.startsWith('aria-');
  if (value === null || value === undefined || (value === false && !isAria)) element.removeAttribute(name);
  else if (READ_ATTRIBUTES.has(name)) element.setAttribute(name, escapeInvisibleInLine(String(value)));
  else element.setAttribute(name, value === true && !isAria ? '' : String(value));
}

/** Sets text only if it differs, so that nothing is announced again and selections survive. */
export function setText(element: Element, text: string): void {
  const shown = escapeInvisible(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/** Sets the title of the page, which the browser shows in its own tab and window. */
export function setPageTitle(title: string): void {
  document.title = escapeInvisibleInLine(title);
}

/** Makes `children` the children of `parent`, in this order. Nodes that are already in place are not touched. */
export function placeChildren(parent: Element, children: readonly Node[]): void {
  const keep = new Set(children);
  for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
  let next: Node | null = parent.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else parent.insertBefore(child, next);
  }
}

function setAttributes(element: Element, attributes: Attributes): void {
  const { on, signal, ...rest } = attributes;
  for (const [name, value] of Object.entries(rest)) setAttribute(element, name, value);
  for (const [type, listener] of Object.entries(on ?? {})) {
    element.addEventListener(type, listener as EventListener, signal ? { signal } : {});
  }
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'string' ? escapeInvisible(child) : child);
  }
}
