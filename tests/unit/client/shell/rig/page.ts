/** Finds elements as a user or a screen reader does: by role and accessible name. */

const implicitRoles: Readonly<Record<string, string>> = {
  button: 'BUTTON',
  dialog: 'DIALOG',
  heading: 'H2',
  textbox: 'INPUT',
};

export function all(role: string, name?: string | RegExp, within: ParentNode = document): HTMLElement[] {
  const tag = implicitRoles[role];
  const candidates = within.querySelectorAll<HTMLElement>(
    tag === undefined ? `[role=${role}]` : `${tag}, [role=${role}]`,
  );
  return [...candidates].filter((element) => {
    const own = element.getAttribute('role');
    if (own !== null && own !== role) return false;
    return isShown(element) && (name === undefined || matches(nameOf(element), name));
  });
}

export function one(role: string, name?: string | RegExp, within: ParentNode = document): HTMLElement {
  const found = all(role, name, within);
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`Expected one ${role} named ${String(name)}, found ${found.length}.`);
  }
  return first;
}

export function nameOf(element: Element): string {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  const labelledBy = element.getAttribute('aria-labelledby');
  if (labelledBy !== null) return textOf(document.getElementById(labelledBy));
  const labels = element instanceof HTMLInputElement ? element.labels : null;
  return textOf(labels?.[0] ?? element);
}

export function isShown(element: Element): boolean {
  const dialog = element.closest('dialog');
  return element.isConnected && element.closest('[hidden]') === null && (dialog === null || dialog.open);
}

export function press(
  key: string,
  options: KeyboardEventInit = {},
  target: EventTarget = document.activeElement ?? document.body,
): boolean {
  return target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options }));
}

export function type(input: HTMLElement, value: string): void {
  if (!(input instanceof HTMLInputElement)) throw new Error('Not a text field.');
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** The visible text, with a space between adjacent elements. */
function textOf(node: Node | null): string {
  if (node === null || (node instanceof HTMLElement && node.hidden)) return '';
  if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
  const parts = [...node.childNodes].map(textOf);
  return parts.join(' ').replace(/\s+/g, ' ').trim();
}

const matches = (text: string, name: string | RegExp) => (typeof name === 'string' ? text === name : name.test(text));
