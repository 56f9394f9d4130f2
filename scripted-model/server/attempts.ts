import type { Conversation } from '../scenario/conversation.ts';

const REMEMBERED = 1000;

/** Counts the requests for the same reply, so that "fail once" can tell a retry from the first request. */
export function createAttemptCounter() {
  const counts = new Map<string, number>();
  return {
    /** The number of earlier requests for this reply. */
    next({ api, sessionId, userMessages, prompt, position }: Conversation): number {
      const key = JSON.stringify([api, sessionId, userMessages.length, prompt, position]);
      const earlier = counts.get(key) ?? 0;
      counts.delete(key);
      counts.set(key, earlier + 1);
      const oldest = counts.keys().next();
      if (counts.size > REMEMBERED && !oldest.done) counts.delete(oldest.value);
      return earlier;
    },
  };
}
