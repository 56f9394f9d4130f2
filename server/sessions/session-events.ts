import type { SessionId } from '../../shared/ids.ts';
import type { EventMessage } from '../../shared/messages.ts';

/** What the windows should hear: all of them, or those that look at one session. */
export type Announcement =
  | { readonly to: 'all'; readonly message: EventMessage }
  | { readonly to: 'session'; readonly sessionId: SessionId; readonly message: EventMessage };

export type Announce = (announcement: Announcement) => void;
