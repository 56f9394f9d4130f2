import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { Composer } from '../composer/composer.ts';
import type { Conversation } from '../model/conversation.ts';
import type { PageStatus } from '../status/page-status.ts';
import type { Sends } from './sends.ts';

export interface TurnControlOptions {
  readonly conversation: Pick<Conversation, 'runningSince' | 'lastActivityAt'>;
  readonly composer: () => Pick<Composer, 'setWork'>;
  readonly status: Pick<PageStatus, 'setWork'>;
  readonly sends: () => Pick<Sends, 'takeBack'>;
  readonly everySecond: (callback: () => void) => () => void;
  readonly post: (message: PortletToShell) => void;
}

/** Shows the work on the current turn, second by second, and cancels it. */
export interface TurnControl {
  /** The turns or the messages that are being sent may have changed. */
  refresh(): void;
  /** Cancels the running turns. A message that waits for the connection is given back instead. */
  cancel(): void;
  /** The server could not cancel. */
  cancelFailed(): void;
  dispose(): void;
}

export function createTurnControl(options: TurnControlOptions): TurnControl {
  const { conversation, status, everySecond, post } = options;
  let isCancelling = false;
  let stopTicking: (() => void) | undefined;

  function stop(): void {
    stopTicking?.();
    stopTicking = undefined;
  }

  function refresh(): void {
    const since = conversation.runningSince();
    if (since === undefined) {
      isCancelling = false;
      stop();
    } else stopTicking ??= everySecond(refresh);
    const lastActivityAt = conversation.lastActivityAt();
    const work = since === undefined ? undefined : { since, lastActivityAt, isCancelling };
    options.composer().setWork(work);
    status.setWork(work);
  }

  return {
    refresh,
    cancel() {
      const wasGivenBack = options.sends().takeBack();
      if (!wasGivenBack && (conversation.runningSince() === undefined || isCancelling)) return;
      if (!wasGivenBack) {
        isCancelling = true;
        post({ type: 'session:cancel' });
      }
      refresh();
    },
    cancelFailed() {
      isCancelling = false;
      refresh();
    },
    dispose: stop,
  };
}
