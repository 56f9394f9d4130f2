import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { Environment } from '../base/environment.ts';
import type { Outbox, Outgoing } from '../composer/outbox.ts';
import type { Conversation } from '../model/conversation.ts';

export interface SendsOptions {
  readonly conversation: Pick<Conversation, 'send' | 'sendWaits' | 'sent' | 'sendFailed' | 'userTextOf'>;
  readonly outbox: Outbox;
  readonly env: Pick<Environment, 'now' | 'newId' | 'after'>;
  readonly post: (message: PortletToShell) => void;
  /** The page is connected and has the conversation. */
  readonly isReady: () => boolean;
  /** Puts a message that was not sent back into the field. */
  readonly giveBack: (content: string, reason: string) => void;
}

/** The id is chosen here if there is none yet. */
export type NewMessage = Pick<Outgoing, 'content'> & Partial<Pick<Outgoing, 'turnId' | 'accept'>>;

/**
 * Sends messages. One that nobody answered is sent again under the same id, also after a refresh, until the server has
 * accepted or refused it; the server takes it once.
 */
export interface Sends {
  send(message: NewMessage): void;
  sent(turnId: string): void;
  refused(turnId: string, reason: string): void;
  unanswered(turnId: string): void;
  /** The page is connected and has the conversation: sends what waits. */
  ready(): void;
  /** Gives the messages back that wait for a server that cannot be reached. Returns whether there were any. */
  takeBack(): boolean;
  isWaiting(): boolean;
}

const RETRY_MS = 1_000;
/** A message from before a refresh that is older is not sent just because its session is looked at again. */
const MAX_AGE_MS = 10 * 60_000;

const TOO_OLD = 'This message was not sent. Send it again if you still want to.';
const NOT_CERTAIN =
  'The server did not answer, so it may or may not have this message. Look at the conversation before you send it again.';

export function createSends({ conversation, outbox, env, post, isReady, giveBack }: SendsOptions): Sends {
  const restored = new Set(outbox.list().map(({ turnId }) => turnId));
  const waiting = new Set<string>();

  function wait({ turnId, content }: Outgoing): void {
    waiting.add(turnId);
    conversation.sendWaits(turnId, content);
  }

  function deliver({ turnId, content, accept }: Outgoing): void {
    waiting.delete(turnId);
    conversation.send(turnId, content);
    post({ type: 'session:send', turnId, content, ...(accept && { accept }) });
  }

  function drop({ turnId, content }: Outgoing, reason: string): void {
    waiting.delete(turnId);
    outbox.remove(turnId);
    conversation.sendFailed(turnId);
    giveBack(content, reason);
  }

  const find = (turnId: string): Outgoing | undefined => outbox.list().find((message) => message.turnId === turnId);
  const allWaiting = (): Outgoing[] => outbox.list().filter(({ turnId }) => waiting.has(turnId));

  function sendWaiting(): void {
    if (!isReady()) return;
    for (const message of allWaiting()) {
      const isOld = restored.has(message.turnId) && env.now() - message.at > MAX_AGE_MS;
      if (isOld && conversation.userTextOf(message.turnId) === undefined) drop(message, TOO_OLD);
      else deliver(message);
    }
  }

  for (const message of outbox.list()) wait(message);

  return {
    send(added) {
      const message = { turnId: env.newId(), at: env.now(), ...added };
      outbox.add(message);
      deliver(message);
    },
    sent(turnId) {
      waiting.delete(turnId);
      outbox.remove(turnId);
      conversation.sent(turnId);
    },
    refused(turnId, reason) {
      const message = find(turnId);
      if (message !== undefined) drop(message, reason);
    },
    unanswered(turnId) {
      const message = find(turnId);
      if (message === undefined) return;
      wait(message);
      // Without a connection, it is sent when the connection is back.
      if (isReady()) env.after(RETRY_MS, sendWaiting);
    },
    ready: sendWaiting,
    takeBack() {
      if (waiting.size === 0 || isReady()) return false;
      for (const message of allWaiting()) drop(message, NOT_CERTAIN);
      return true;
    },
    isWaiting: () => waiting.size > 0,
  };
}
