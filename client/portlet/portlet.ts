import '../shared/zod-without-eval.ts';
import '../shared/theme.css';
import '../shared/base.css';
import './page.css';
import './conversation/conversation.css';
import '../shared/markdown/markdown.css';
import '../shared/markdown/highlight.css';
import '../shared/markdown/ansi.css';
import './rows/rows.css';
import './rows/turn-end.css';
import './tools/tool-call.css';
import './tools/output.css';
import './tools/diff.css';
import './composer/composer.css';
import './status/status.css';
import { sessionIdSchema } from '../../shared/ids.ts';
import type { PortletToShell } from '../../shared/portlet-messages.ts';
import { createBridge } from '../shared/bridge.ts';
import { browserEnvironment } from './environment.ts';
import { type Incoming, incomingSchema } from './incoming.ts';
import { createSessionPage } from './session-page.ts';

const sessionId = sessionIdSchema.safeParse(new URLSearchParams(location.search).get('sessionId'));

if (!sessionId.success || window.parent === window) {
  document.body.textContent = 'This page belongs inside Liminal Builder. Open the address that the server printed.';
} else {
  const bridge = createBridge<Incoming, PortletToShell>({
    target: () => window.parent,
    accept: incomingSchema,
    onMessage: (message) => page.receive(message),
  });
  const page = createSessionPage({
    root: document.body,
    sessionId: sessionId.data,
    env: browserEnvironment(),
    post: bridge.post,
  });
  bridge.post({ type: 'portlet:ready' });
}
