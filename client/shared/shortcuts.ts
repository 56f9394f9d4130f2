import type { PortletToShell } from '../../shared/portlet-messages.ts';

export type ShellKey = Extract<PortletToShell, { type: 'shell:key' }>['key'];

/**
 * The key of the shell that an event means, or null. Both pages ask: the session page passes it on. Alt keys are read
 * by their place on the keyboard, because Alt+1 types another character on some.
 */
export function shellKeyOf(event: KeyboardEvent): ShellKey | null {
  if (event.isComposing || event.shiftKey) return null;
  const command = event.ctrlKey !== event.metaKey;
  if (command && !event.altKey) {
    if (event.key.toLowerCase() === 'k') return 'filter';
    if (event.key.toLowerCase() === 'b') return 'sidebar';
  }
  if (event.altKey && !event.ctrlKey && !event.metaKey) {
    if (event.code === 'KeyW') return 'close-tab';
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    if (digit !== undefined) return `tab-${digit}`;
  }
  return null;
}

/** How the key that starts a command is called on this machine. */
export function commandKey(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';
}
