import type { SessionListItem } from '../../../shared/entities.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { agentLabel } from '../state/selectors.ts';
import type { ShellState } from '../state/store.ts';

/** Everything a session page needs to know besides its conversation, one message of each type. */
function portletStateOf(state: ShellState, sessionId: SessionId): ShellToPortlet[] {
  const session = state.sessions.get(sessionId);
  const messages: ShellToPortlet[] = [
    { type: 'theme', theme: state.theme },
    { type: 'connection', state: state.connection },
  ];
  if (session === undefined) return messages;
  messages.push({
    type: 'session:info',
    title: session.title,
    agentLabel: agentLabel(state, session.cliType),
    cliType: session.cliType,
    projectPath: state.projects?.find(({ id }) => id === session.projectId)?.path ?? '',
    demo: state.demo,
    background: session.background,
    access: session.access,
    heldBy: session.heldBy,
    context: session.context,
    branches: session.branches,
    ...originPart(state, session),
    ...untrustedPart(state, session),
  });
  const status = state.sessionStatus.get(sessionId) ?? state.agentStatus.get(session.cliType);
  if (status !== undefined) messages.push(status);
  return messages;
}

function originPart({ sessions }: ShellState, { context }: SessionListItem) {
  const origin = context?.from === undefined ? undefined : sessions.get(context.from);
  return origin === undefined ? {} : { origin: { sessionId: origin.id, title: origin.title } };
}

function untrustedPart(state: ShellState, { projectId, cliType }: SessionListItem) {
  const project = state.projects?.find(({ id }) => id === projectId);
  const isConcerned = project?.wouldRun.some((entry) => entry.cliType === cliType) ?? false;
  if (!isConcerned || project?.trust === 'trusted') return {};
  const provider = state.providers?.find((each) => each.cliType === cliType);
  return { untrusted: provider?.leavesOutProjectSettings ? ('left-out' as const) : ('not-started' as const) };
}

/** Sends each session page the state it needs: all of it at first, then what changed. */
export function createPortletState(post: (sessionId: SessionId, message: ShellToPortlet) => void) {
  const sent = new Map<SessionId, Map<string, string>>();
  return {
    update(state: ShellState, sessionIds: readonly SessionId[]): void {
      for (const sessionId of sent.keys()) if (!sessionIds.includes(sessionId)) sent.delete(sessionId);
      for (const sessionId of sessionIds) {
        const known = sent.get(sessionId) ?? new Map<string, string>();
        sent.set(sessionId, known);
        for (const message of portletStateOf(state, sessionId)) {
          const text = JSON.stringify(message);
          if (known.get(message.type) === text) continue;
          known.set(message.type, text);
          post(sessionId, message);
        }
      }
    },
    /** The page was reloaded: send everything again. */
    forget(sessionId: SessionId): void {
      sent.delete(sessionId);
    },
  };
}
