import type { ShellToPortlet } from '../../../shared/portlet-messages.ts';

type FilledIn = 'sessionId' | 'seq' | 'asOf' | 'cliType' | 'background';
type Loose<M> = M extends unknown ? Omit<M, FilledIn> & Partial<Pick<M, FilledIn & keyof M>> : never;

/** A message to a session page, without the ids and numbers that a test does not care about. */
export type Told = Loose<ShellToPortlet>;

/**
 * Fills in what was left out: events are numbered in the order in which they are told. Plain JavaScript inside, because
 * the host page of the browser tests runs its text.
 */
export function createNumbering(sessionId: string): (message: { readonly type: string }) => ShellToPortlet {
  const numbered = ['session:upsert', 'session:turn', 'session:append'];
  let seq = 0;
  return (message) => {
    // What is not a message at all is passed on as it is.
    if (typeof message !== 'object' || message === null) return message;
    if (numbered.includes(message.type) && !('seq' in message)) seq += 1;
    const filledIn = { sessionId, cliType: 'claude-code', seq, asOf: seq, background: 0 };
    return { ...filledIn, ...message } as unknown as ShellToPortlet;
  };
}
