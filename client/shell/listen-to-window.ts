import { type Theme, themeSchema } from '../../shared/portlet-messages.ts';
import { type ShellKey, shellKeyOf } from '../shared/shortcuts.ts';
import { THEME_KEY } from '../shared/theme.ts';
import { hasSecret } from './server/proof/address.ts';
import { KEY_SAVED_AT } from './server/proof/key-store.ts';

export interface WindowEvents {
  readonly onKey: (key: ShellKey) => void;
  /** Returns whether there was anything to close. */
  readonly onEscape: () => boolean;
  /** The page is closed or reloaded. */
  readonly onLeave: () => void;
  /** An address with a secret was opened in a window that already shows the page. */
  readonly onAddress: () => void;
  /** The window became visible or is online again: retry now instead of waiting for a timer. */
  readonly onWake: () => void;
  /** Another window got a key. */
  readonly onKeySaved: () => void;
  /** Another window changed the theme. */
  readonly onTheme: (theme: Theme) => void;
}

/** Listens to the window until the signal aborts. */
export function listenToWindow(window: Window, signal: AbortSignal, events: WindowEvents): void {
  const { document } = window;

  function onKeydown(event: KeyboardEvent): void {
    if (document.querySelector('dialog[open]') !== null) return;
    const key = shellKeyOf(event);
    if (key !== null) events.onKey(key);
    else if (event.key !== 'Escape' || !events.onEscape()) return;
    event.preventDefault();
  }

  function onStorage({ key, newValue }: StorageEvent): void {
    const theme = themeSchema.safeParse(newValue);
    if (key === THEME_KEY && theme.success) events.onTheme(theme.data);
    if (key === KEY_SAVED_AT) events.onKeySaved();
  }

  function onHash(): void {
    if (hasSecret(window.location)) events.onAddress();
  }

  function onVisible(): void {
    if (document.visibilityState === 'visible') events.onWake();
  }

  window.addEventListener('keydown', onKeydown, { signal });
  window.addEventListener('pagehide', events.onLeave, { signal });
  window.addEventListener('storage', onStorage, { signal });
  window.addEventListener('hashchange', onHash, { signal });
  window.addEventListener('online', events.onWake, { signal });
  document.addEventListener('visibilitychange', onVisible, { signal });
}
