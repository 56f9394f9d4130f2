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

/** Tags that agents use to format text. Without attributes they are harmless. */
const PLAIN_TAG = /<\/?(?:b|br|code|del|details|em|i|ins|kbd|mark|q|s|small|strong|sub|summary|sup|u)\s*\/?>/gi;

/** Escapes raw HTML, except for the tags above. */
export function escapeRawHtml(html: string): string {
  let out = '';
  let end = 0;
  for (const tag of html.matchAll(PLAIN_TAG)) {
    out += escapeHtml(html.slice(end, tag.index)) + tag[0];
    end = tag.index + tag[0].length;
  }
  return out + escapeHtml(html.slice(end));
}

/** Whether the HTML contains no tags other than those above. */
export function isPlainHtml(html: string): boolean {
  return !html.replace(PLAIN_TAG, '').includes('<');
}

/** Adds the tags above that the HTML leaves open to `open`, by name, and takes away those that it closes. */
export function countOpenTags(html: string, open: Map<string, number>): void {
  for (const tag of html.match(PLAIN_TAG) ?? []) {
    const name = tag.replace(/[^a-z]/gi, '').toLowerCase();
    const change = name === 'br' ? 0 : tag.startsWith('</') ? -1 : 1;
    open.set(name, Math.max(0, (open.get(name) ?? 0) + change));
  }
}
