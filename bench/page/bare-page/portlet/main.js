// @ts-nocheck: runs in a browser; the project that checks this folder is Node's.

// The least that shows a conversation: what the session page is measured against.
import DOMPurify from 'dompurify';
import { marked } from 'marked';

const textOf = (entry) => entry.content ?? `${entry.toolName}\n\n\`\`\`\n${entry.toolOutput ?? ''}\n\`\`\``;

function toRow(entry) {
  const row = document.createElement('div');
  row.className = entry.origin === 'agent' ? 'row agent' : 'row';
  row.append(DOMPurify.sanitize(marked.parse(textOf(entry)), { RETURN_DOM_FRAGMENT: true }));
  return row;
}

window.addEventListener('message', ({ data }) => {
  if (data.type !== 'session:history') return;
  requestAnimationFrame(() => {
    document.body.append(...data.entries.slice(-data.mount).map(toRow));
    window.scrollTo(0, document.body.scrollHeight);
  });
});
parent.postMessage({ type: 'portlet:ready' }, location.origin);
