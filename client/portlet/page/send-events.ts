import type { PageStatus } from '../status/page-status.ts';
import type { Continuity } from './continuity.ts';
import type { Handlers } from './conversation-events.ts';
import type { Sends } from './sends.ts';

export interface SendEventsOptions {
  readonly sends: Sends;
  readonly continuity: Pick<Continuity, 'refused'>;
  readonly status: Pick<PageStatus, 'change'>;
  readonly refresh: () => void;
}

type SendHandlers = Pick<Handlers, 'session:sent' | 'session:send-failed' | 'session:send-unanswered'>;

/** What became of a message. */
export function createSendEvents({ sends, continuity, status, refresh }: SendEventsOptions): SendHandlers {
  return {
    'session:sent': ({ turnId }) => {
      sends.sent(turnId);
      refresh();
    },
    'session:send-failed': ({ turnId, error }) => {
      sends.refused(turnId, error.message);
      if (error.code === 'TRANSCRIPT_MISSING') status.change({ missing: 'told' });
      refresh();
      continuity.refused(error);
    },
    'session:send-unanswered': ({ turnId }) => {
      sends.unanswered(turnId);
      refresh();
    },
  };
}
