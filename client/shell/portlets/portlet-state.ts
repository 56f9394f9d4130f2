import type { SessionId } from '../../../shared/ids.ts';
import type { ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { agentLabel } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';

/** What a session page needs to know besides its conversation, as the shell's state has it. */
export function newsFor(state: ShellState, sessionId: SessionId): ShellToPortlet[] {
  const session = state.sessions.get(sessionId);
  const news: ShellToPortlet[] = [
    { type: 'theme', theme: state.theme },
    { type: 'connection', state: state.connection },
  ];
  if (session === undefined) return news;
  news.push({
    type: 'session:info',
    title: session.title,
    agentLabel: agentLabel(state, session.cliType),
    cliType: session.cliType,
    projectPath: state.projects?.find(({ id }) => id === session.projectId)?.path ?? '',
    demo: state.demo,
  });
  const status = state.sessionStatus.get(sessionId) ?? state.agentStatus.get(session.cliType);
  if (status !== undefined) {
    const { cliType: _, sessionId: __, requestId: ___, ...rest } = status;
    news.push(rest);
  }
  return news;
}

/** Tells each page what changed for it since the last time, and everything to a page that is new. */
export function createPortletNews(post: (sessionId: SessionId, message: ShellToPortlet) => void) {
  const told = new Map<SessionId, Map<string, string>>();
  return {
    tell(state: ShellState, sessionIds: readonly SessionId[]): void {
      for (const sessionId of told.keys()) if (!sessionIds.includes(sessionId)) told.delete(sessionId);
      for (const sessionId of sessionIds) {
        const known = told.get(sessionId) ?? new Map<string, string>();
        told.set(sessionId, known);
        for (const message of newsFor(state, sessionId)) {
          const text = JSON.stringify(message);
          if (known.get(message.type) === text) continue;
          known.set(message.type, text);
          post(sessionId, message);
        }
      }
    },
    /** The page was loaded anew and knows nothing. */
    forget(sessionId: SessionId): void {
      told.delete(sessionId);
    },
  };
}
