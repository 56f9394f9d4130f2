import '../shared/zod-without-eval.ts';
import '../shared/theme.css';
import '../shared/base.css';
import './page/page.css';
import './view/conversation.css';
import '../shared/markdown/markdown.css';
import '../shared/markdown/highlight.css';
import './view/tools/ansi.css';
import './view/rows/rows.css';
import './view/rows/marks.css';
import './view/rows/turn-end.css';
import './view/tools/tool-call.css';
import './view/tools/output.css';
import './view/tools/diff.css';
import './composer/composer.css';
import './status/status.css';
import { sessionIdSchema } from '../../shared/ids.ts';
import { type PortletToShell, type ShellToPortlet, shellToPortletSchema } from '../../shared/portlet-messages.ts';
import { createBridge } from '../shared/bridge.ts';
import { setText } from '../shared/dom.ts';
import { browserEnvironment } from './base/environment.ts';
import { createSessionPage } from './page/session-page.ts';
import { startWorker } from './work/start-worker.ts';

const sessionId = sessionIdSchema.safeParse(new URLSearchParams(location.search).get('sessionId'));

if (!sessionId.success || window.parent === window) {
  setText(document.body, 'This page belongs inside Liminal Builder. Open the address that the server printed.');
} else {
  const bridge = createBridge<ShellToPortlet, PortletToShell>({
    target: () => window.parent,
    accept: shellToPortletSchema,
    onMessage: (message) => page.receive(message),
  });
  const page = createSessionPage({
    root: document.body,
    sessionId: sessionId.data,
    env: browserEnvironment(startWorker),
    post: bridge.post,
  });
  bridge.post({ type: 'portlet:ready' });
}
