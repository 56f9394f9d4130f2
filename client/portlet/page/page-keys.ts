import type { ShellKey } from '../../shared/shortcuts.ts';
import { shellKeyOf } from '../../shared/shortcuts.ts';

export interface PageKeysOptions {
  readonly onShellKey: (key: ShellKey) => void;
  readonly onCancel: () => void;
  readonly signal: AbortSignal;
}

/** Handles keys wherever the focus is: Escape cancels, and the shell's shortcuts are forwarded to it. */
export function listenToKeys({ onShellKey, onCancel, signal }: PageKeysOptions): void {
  document.addEventListener(
    'keydown',
    (event) => {
      const key = shellKeyOf(event);
      if (key !== null) {
        event.preventDefault();
        onShellKey(key);
      } else if (event.key === 'Escape' && !event.isComposing) onCancel();
    },
    { signal },
  );
}
