import type { PortletToShell, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import type { Conversation } from './conversation.ts';
import type { HistoryIntake } from './history-intake.ts';

type MessageOf<T extends ShellToPortlet['type']> = Extract<ShellToPortlet, { type: T }>;

export interface OlderPagesOptions {
  readonly conversation: Pick<Conversation, 'oldestItemId'>;
  readonly intake: HistoryIntake;
  readonly post: (message: PortletToShell) => void;
  readonly onLoading: (isLoading: boolean) => void;
  readonly onError: (message: MessageOf<'session:page-failed'>) => void;
}

/** Loads the older pages of a conversation, one at a time. */
export interface OlderPages {
  /** A snapshot arrived. `hasMore`: it does not begin with the first entry of the conversation. */
  snapshot(hasMore: boolean): void;
  /** Loads the next page if there is one and none is on its way. */
  load(): void;
  receive(page: MessageOf<'session:page'>): void;
  fail(message: MessageOf<'session:page-failed'>): void;
  /** There are entries that this page does not have yet. */
  hasMore(): boolean;
}

export function createOlderPages({ conversation, intake, post, onLoading, onError }: OlderPagesOptions): OlderPages {
  let hasMore = false;
  /** The entry before which a page was asked for. */
  let requested: string | undefined;

  function request(before: string | undefined): void {
    requested = before;
    onLoading(before !== undefined);
  }

  return {
    hasMore: () => hasMore,
    snapshot(more) {
      hasMore = more;
      request(undefined);
    },
    load() {
      const before = conversation.oldestItemId();
      if (!hasMore || requested !== undefined || before === undefined || intake.isBusy()) return;
      request(before);
      post({ type: 'session:older', before });
    },
    receive({ before, entries, turns, more }) {
      if (before !== requested) return;
      intake.prepend({ entries, turns });
      hasMore = more;
      request(undefined);
    },
    fail(message) {
      if (message.before !== requested) return;
      request(undefined);
      onError(message);
    },
  };
}
