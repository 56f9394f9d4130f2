import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';

/** Forks the conversation or a branch of it, one at a time. The shell opens the new session. */
export interface ForkRequests {
  /** A button that forks the conversation, or a branch of it. */
  button(label: string, branch?: string): HTMLButtonElement;
  /** These buttons are removed from the page. */
  forget(container: Element): void;
  /** It failed, or the new session was opened and the user is back here. */
  ended(): void;
}

export function createForkRequests(post: (message: PortletToShell) => void): ForkRequests {
  const buttons = new Map<HTMLButtonElement, string>();
  let isForking = false;

  function refresh(): void {
    for (const [button, label] of buttons) {
      setAttribute(button, 'aria-disabled', isForking ? true : null);
      if (!isForking) setText(button, label);
    }
  }

  return {
    button(label, branch) {
      const button = h('button', { type: 'button' }, label);
      button.addEventListener('click', () => {
        if (isForking) return;
        isForking = true;
        refresh();
        setText(button, 'Forking\u2026');
        post({ type: 'session:fork', ...(branch !== undefined && { branch }) });
      });
      buttons.set(button, label);
      refresh();
      return button;
    },
    forget(container) {
      for (const button of buttons.keys()) if (container.contains(button)) buttons.delete(button);
    },
    ended() {
      isForking = false;
      refresh();
    },
  };
}
