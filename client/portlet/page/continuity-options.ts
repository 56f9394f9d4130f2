import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { Environment } from '../base/environment.ts';
import type { Composer } from '../composer/composer.ts';
import type { PageStatus } from '../status/page-status.ts';
import type { NewMessage } from './sends.ts';

export interface ContinuityOptions {
  readonly sessionId: string;
  readonly env: Environment;
  readonly status: Pick<PageStatus, 'state' | 'change' | 'announce'>;
  readonly composer: () => Composer;
  readonly post: (message: PortletToShell) => void;
  readonly send: (message: NewMessage) => void;
  readonly follow: () => void;
  readonly isWorking: () => boolean;
  readonly places: {
    /** Above the message field. */
    readonly above: HTMLElement;
    /** In the status line. */
    readonly receipt: HTMLElement;
    /** Above the status line. */
    readonly note: HTMLElement;
    /** Below the conversation. */
    readonly tail: HTMLElement;
  };
}
