import type { Context, SessionMeta } from '../../shared/entities.ts';
import type { Journal } from '../journal/journal.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionStore } from './session-store.ts';

/** A line where a copy of another conversation ends and this one begins. Once. */
export async function noteOrigin(
  { id, origin }: SessionMeta,
  session: OpenSession,
  { journal, sessions }: { readonly journal: Journal; readonly sessions: SessionStore },
): Promise<void> {
  if (origin?.how !== 'forked') return;
  const itemId = `${id}:forked`;
  if ((await journal.page(id, itemId)) !== undefined) return;
  const title = sessions.get(origin.from)?.title;
  session.note(itemId, title === undefined ? 'Forked from here on.' : `Forked from “${title}” from here on.`);
}

/** A line where the model lost the conversation. */
export function noteContext(session: OpenSession, { state, reason }: Context, before: Context | undefined): void {
  const last = session.history().entries.at(-1);
  if (state !== 'reset' || before?.state === 'reset' || last === undefined) return;
  session.note(`${last.turnId}:reset`, reason ?? 'From here on the model does not know what was said before.');
}
