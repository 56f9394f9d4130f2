import '../shared/zod-without-eval.ts';
import '../shared/theme.css';
import '../shared/base.css';
import './layout.css';
import './sidebar/sidebar.css';
import './sidebar/sidebar-rows.css';
import '../shared/icons.css';
import './sidebar/status-bar.css';
import './tabs/tabs.css';
import './widgets/floating.css';
import './widgets/trust-dialog.css';
import './placeholders/placeholders.css';
import { browserTimers } from '../shared/timers.ts';
import { startShell } from './shell.ts';

const root = document.getElementById('shell');
if (root === null) throw new Error('The page has no element with the id "shell".');

startShell({
  root,
  window,
  storage: localStorage,
  windowStorage: sessionStorage,
  fetch: (input, init) => fetch(input, init),
  connect: () => new WebSocket(new URL('/ws', location.href.replace(/^http/, 'ws'))),
  timers: browserTimers,
  now: Date.now,
  narrow: matchMedia('(width < 900px)'),
  observeSize: (element, onChange) => new ResizeObserver(onChange).observe(element),
});
