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
import './placeholders/placeholders.css';
import { browserTimers } from '../shared/timers.ts';
import { createForeignWorkerNotice } from './placeholders/foreign-worker.ts';
import { saveFile } from './save-file.ts';
import { createKeyStore, createPlainKeyStore } from './server/proof/key-store.ts';
import { endForeignWorkers } from './service-workers.ts';
import { startShell } from './shell.ts';

const root = document.getElementById('shell');
if (root === null) throw new Error('The page has no element with the id "shell".');

const { subtle } = crypto as Partial<Crypto>;

async function start(root: HTMLElement): Promise<void> {
  if (await endForeignWorkers(navigator.serviceWorker, window.caches)) {
    root.replaceChildren(createForeignWorkerNotice(() => location.reload()));
    return;
  }
  startShell({
    root,
    window,
    storage: localStorage,
    windowStorage: sessionStorage,
    fetch: (input, init) => fetch(input, init),
    connect: () => new WebSocket(new URL('/ws', location.href.replace(/^http/, 'ws'))),
    keys: subtle === undefined ? createPlainKeyStore(localStorage) : createKeyStore(subtle, indexedDB),
    newNonce: () => crypto.getRandomValues(new Uint8Array(32)),
    timers: browserTimers,
    now: Date.now,
    save: saveFile,
    narrow: matchMedia('(width < 900px)'),
    observeSize: (element, onChange) => new ResizeObserver(onChange).observe(element),
  });
}

void start(root);
