import type { SessionListItem } from '../../../shared/entities.ts';
import { fromCanonical, type SessionId } from '../../../shared/ids.ts';
import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { ShellKey } from '../../shared/shortcuts.ts';
import type { Api } from '../server/api.ts';
import { failure, unreachable } from '../server/outcome.ts';
import type { ServerSocket } from '../server/socket.ts';
import type { TrustActions } from '../state/trust-actions.ts';
import type { ToPortlet } from './portlet-frames.ts';

export interface PortletRequestsOptions {
  readonly api: Pick<Api, 'call'>;
  readonly trust: Pick<TrustActions, 'withTrust'>;
  readonly socket: Pick<ServerSocket, 'requestPage'>;
  readonly post: (sessionId: SessionId, message: ToPortlet) => void;
  readonly onReload: (sessionId: SessionId) => void;
  readonly onTrust: (sessionId: SessionId) => void;
  /** A page made this session from a copy of its conversation. */
  readonly onForked: (session: SessionListItem) => void;
  readonly onOpen: (sessionId: SessionId) => void;
  readonly onKey: (key: ShellKey) => void;
}

type MessageOf<T extends PortletToShell['type']> = Extract<PortletToShell, { type: T }>;

const NOT_SENT = failure({
  code: 'PROJECT_NOT_TRUSTED',
  message: 'Not sent: you have not decided whether to trust this directory. Send it again to be asked again.',
});

/** Handles the requests of session pages. The window that sent a request determines its session. */
export function createPortletRequests(options: PortletRequestsOptions) {
  const { api, trust, socket, post, onReload, onTrust, onKey } = options;

  async function send(sessionId: SessionId, message: MessageOf<'session:send'>): Promise<void> {
    const { turnId, content, accept } = message;
    const call = () => api.call('session:send', { sessionId, content, turnId, ask: true, accept });
    const outcome = (await trust.withTrust(fromCanonical(sessionId).cliType, call)) ?? NOT_SENT;
    if (outcome.ok) post(sessionId, { type: 'session:sent', turnId });
    else if (outcome === unreachable) post(sessionId, { type: 'session:send-unanswered', turnId });
    else post(sessionId, { type: 'session:send-failed', turnId, error: outcome.error });
  }

  async function fork(sessionId: SessionId, branch: string | undefined): Promise<void> {
    const outcome = await api.call('session:fork', { sessionId, branch });
    if (outcome.ok) options.onForked(outcome.value.session);
    else post(sessionId, { type: 'session:fork-failed', error: outcome.error });
  }

  async function command(sessionId: SessionId, name: 'session:cancel' | 'session:reconnect'): Promise<void> {
    const outcome = await api.call(name, { sessionId });
    if (!outcome.ok) post(sessionId, { type: 'session:error', error: outcome.error });
  }

  async function stopBackground(sessionId: SessionId, one: { readonly itemId?: string | undefined }): Promise<void> {
    const outcome = await api.call('session:stop-background', { sessionId, ...one });
    if (!outcome.ok) post(sessionId, { type: 'session:stop-failed', ...one, error: outcome.error });
  }

  /** If it succeeds, the server sends the conversation again. */
  async function putBack(sessionId: SessionId): Promise<void> {
    const outcome = await api.call('session:put-back', { sessionId });
    if (!outcome.ok) post(sessionId, { type: 'session:put-back-failed', error: outcome.error });
  }

  /** Through the socket, so that the page arrives in its place among the events. */
  async function readPage(sessionId: SessionId, before: string): Promise<void> {
    const outcome = await socket.requestPage({ sessionId, before });
    if (outcome.ok) post(sessionId, { type: 'session:page', before, ...outcome.value });
    else post(sessionId, { type: 'session:page-failed', before, error: outcome.error });
  }

  return (sessionId: SessionId, message: PortletToShell): void => {
    switch (message.type) {
      case 'session:send':
        void send(sessionId, message);
        return;
      case 'session:fork':
        void fork(sessionId, message.branch);
        return;
      case 'session:open':
        options.onOpen(message.sessionId);
        return;
      case 'session:warm':
        // A failure is reported when the message is sent.
        void api.call('session:warm', { sessionId });
        return;
      case 'session:cancel':
      case 'session:reconnect':
        void command(sessionId, message.type);
        return;
      case 'session:stop-background':
        void stopBackground(sessionId, message.itemId === undefined ? {} : { itemId: message.itemId });
        return;
      case 'session:put-back':
        void putBack(sessionId);
        return;
      case 'session:reload':
        onReload(sessionId);
        return;
      case 'session:trust':
        onTrust(sessionId);
        return;
      case 'shell:key':
        onKey(message.key);
        return;
      case 'session:older':
        void readPage(sessionId, message.before);
        return;
      case 'portlet:ready':
      case 'portlet:drawn':
        return;
    }
  };
}
