const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Tags that agents use for layout of words. Without attributes they can do nothing else. */
const PLAIN_TAG = /<\/?(?:b|br|code|del|details|em|i|ins|kbd|mark|q|s|small|strong|sub|summary|sup|u)\s*\/?>/gi;

/** Raw HTML as text to be read, except for bare tags of the list above. */
export function readRawHtml(html: string): string {
  let out = '';
  let end = 0;
  for (const tag of html.matchAll(PLAIN_TAG)) {
    out += escapeHtml(html.slice(end, tag.index)) + tag[0];
    end = tag.index + tag[0].length;
  }
  return out + escapeHtml(html.slice(end));
}

/** Whether nothing would have to be shown as text. */
export function isPlainHtml(html: string): boolean {
  return !html.replace(PLAIN_TAG, '').includes('<');
}
