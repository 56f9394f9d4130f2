import type { PortletToShell } from '../../shared/portlet-messages.ts';

export type ShellKey = Extract<PortletToShell, { type: 'shell:key' }>['key'];

/**
 * Returns the shell shortcut for an event, or null. The session page uses it too and forwards the shortcut. With Alt,
 * the physical key counts, because Alt+1 types a different character on some keyboards.
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

/** The label of the command key on this platform. */
export function commandKey(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl ';
}
