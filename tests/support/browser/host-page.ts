import { SESSION_ID } from '../../fixtures/conversation/upserts.ts';
import { createNumbering } from './told.ts';

/** Replaces the shell: hosts one session page in a frame, records its messages in `heard` and posts with `tell`. */
const script = `
  window.heard = [];
  const numbered = (${createNumbering})(${JSON.stringify(SESSION_ID)});
  const frame = document.querySelector('iframe');
  window.tell = (messages) => {
    for (const message of messages) frame.contentWindow.postMessage(numbered(message), location.origin);
  };
  window.addEventListener('message', (event) => {
    if (event.source === frame.contentWindow) window.heard.push(event.data);
  });
  // Streams several texts in parallel, one code unit per frame, and completes them.
  window.stream = async (streams) => {
    const longest = Math.max(...streams.map(({ text }) => text.length));
    const at = (length, finished) => streams
      .filter(({ text }) => finished || text.length >= length)
      .map(({ upsert, text }) => ({
        type: 'session:upsert',
        payload: { ...upsert, content: text.slice(0, length), status: finished ? 'complete' : 'update' },
      }));
    for (let length = 1; length <= longest; length += 1) {
      window.tell(at(length, false));
      await new Promise(requestAnimationFrame);
    }
    window.tell(at(longest, true));
    await window.settle();
  };
  // Waits until all messages have been drawn.
  window.settle = async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
  };
  frame.src = '/portlet/index.html?sessionId=${encodeURIComponent(SESSION_ID)}';
`;

export const hostFiles: Readonly<Record<string, string>> = {
  '/host.html': `<!doctype html><html lang="en"><head><title>Host</title><link rel="stylesheet" href="/host.css"></head>
    <body><iframe title="Session"></iframe><script src="/host.js"></script></body></html>`,
  '/host.css': 'body{margin:0} iframe{border:0;width:100vw;height:100vh} iframe:not([hidden]){display:block}',
  '/host.js': script,
  '/sibling.html': '<!doctype html><html lang="en"><title>Sibling</title><script src="/sibling.js"></script></html>',
  '/sibling.js': 'window.attack = (target, message) => target.postMessage(message, location.origin);',
  '/favicon.ico': '',
};
