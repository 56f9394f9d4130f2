import { SESSION_ID } from '../../../fixtures/conversation/upserts.ts';

/** Stands for the shell: one session page in a frame, what it says in `heard`, `tell` to speak to it. */
const script = `
  window.heard = [];
  const frame = document.querySelector('iframe');
  window.tell = (messages) => {
    for (const message of messages) frame.contentWindow.postMessage(message, location.origin);
  };
  window.addEventListener('message', (event) => {
    if (event.source === frame.contentWindow) window.heard.push(event.data);
  });
  frame.src = '/portlet/index.html?sessionId=${encodeURIComponent(SESSION_ID)}';
`;

export const hostFiles: Readonly<Record<string, string>> = {
  '/host.html': `<!doctype html><html lang="en"><head><title>Host</title><link rel="stylesheet" href="/host.css"></head>
    <body><iframe title="Session"></iframe><script src="/host.js"></script></body></html>`,
  '/host.css': 'body{margin:0} iframe{display:block;border:0;width:100vw;height:100vh}',
  '/host.js': script,
  '/favicon.ico': '',
};
