import { JSDOM } from 'jsdom';
import { marked, type Token, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { writeHtml } from '../../../server/export/write-html.ts';
import { writeMarkdown } from '../../../server/export/write-markdown.ts';
import type { KeptConversation } from '../../../server/journal/journal.ts';
import { variedConversation } from '../../support/agents/varied-conversation.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { head, textOf, whole } from './conversation-source.ts';

const seeds = Array.from({ length: 20 }, (_, index) => index);
const varied = (seed: number) => variedConversation('claude-code:s1', 10, createRandom(seed));
const html = async (kept: KeptConversation) => textOf(writeHtml(head, whole(kept)));
const markdown = async (kept: KeptConversation) => textOf(writeMarkdown(head, whole(kept)));
const count = ({ entries }: KeptConversation, type: string) => entries.filter((entry) => entry.type === type).length;

describe('keep/export HTML', () => {
  it.each(seeds)('has one element for each entry, and no text becomes markup (%d)', async (seed) => {
    const kept = varied(seed);
    const { document } = new JSDOM(await html(kept)).window;

    const main = document.querySelector('main');
    expect(main?.querySelectorAll(':scope > article')).toHaveLength(count(kept, 'message'));
    expect(main?.querySelectorAll(':scope > details')).toHaveLength(kept.entries.length - count(kept, 'message'));
    expect(main?.querySelectorAll(':scope > .turn')).toHaveLength(kept.turns.length);
    expect(main?.children).toHaveLength(kept.entries.length + kept.turns.length);
    const names = new Set([...document.querySelectorAll('body *')].map(({ localName }) => localName));
    const own = ['article', 'b', 'dd', 'details', 'div', 'dl', 'dt', 'h1', 'h2', 'h3', 'header', 'main', 'p', 'pre'];
    expect([...names].filter((name) => ![...own, 'span', 'summary', 'time'].includes(name))).toEqual([]);
    const attributes = [...document.querySelectorAll('body *')].flatMap(({ attributes }) => [...attributes]);
    expect([...new Set(attributes.map(({ name }) => name))].sort()).toEqual(['class', 'dir']);
  });

  it('runs nothing, loads nothing and says so', async () => {
    const { document } = new JSDOM(await html(varied(1))).window;

    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content');
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
    expect(document.querySelectorAll('script, link, img, iframe, object, a')).toHaveLength(0);
    expect(document.querySelector('style')?.textContent).not.toMatch(/url\(|@import/);
    expect(document.title).toBe(head.session.title);
  });

  it('keeps text as it was written, code apart, and writes out invisible characters', async () => {
    const [entry] = varied(1).entries;
    if (entry?.type !== 'message') throw new Error('The first entry is a message.');
    const content = 'First\n\n```js\nif (a < b) "\u202e"\n```\n  last & <b>';
    const { document } = new JSDOM(await html({ entries: [{ ...entry, content }], turns: [] })).window;

    const article = document.querySelector('article');
    expect([...(article?.querySelectorAll('.text') ?? [])].map(({ textContent }) => textContent)).toEqual([
      'First',
      '  last & <b>',
    ]);
    expect(article?.querySelector('pre')?.textContent).toBe('if (a < b) "⟨U+202E⟩"');
  });
});

describe('keep/export Markdown', () => {
  const htmlIn = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token) => [
      ...(token.type === 'html' ? [token.raw.trim()] : []),
      ...('tokens' in token && token.tokens ? htmlIn(token.tokens) : []),
      ...('items' in token ? htmlIn(token.items as Token[]) : []),
    ]);

  it.each(seeds)('keeps every entry in its place, whatever it contains (%d)', async (seed) => {
    const kept = varied(seed);
    const tokens = marked.lexer(await markdown(kept));

    const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
    expect(headings.filter(({ depth }) => depth === 1)).toHaveLength(1);
    expect(headings.filter(({ depth }) => depth === 2)).toHaveLength(count(kept, 'message'));
    expect(headings).toHaveLength(1 + count(kept, 'message'));
    const folded = kept.entries.length - count(kept, 'message');
    const html = htmlIn(tokens).filter((text) => !/^(<details>|<\/details>)/.test(text));
    expect(html).toEqual([]);
    expect(tokens.filter((token) => token.type === 'html' && token.raw.startsWith('<details>'))).toHaveLength(folded);
    expect(tokens.filter((token) => token.type === 'html' && token.raw.startsWith('</details>'))).toHaveLength(folded);
    const code = tokens.filter((token): token is Tokens.Code => token.type === 'code').map(({ text }) => text);
    const withNewline = (text: string) => text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
    for (const entry of kept.entries) {
      if (entry.type === 'thinking') expect(code).toContain(withNewline(entry.content));
      if (entry.type !== 'tool_call') continue;
      expect(code).toContain(JSON.stringify(entry.toolArguments, null, 2));
      if (entry.toolOutput !== undefined) expect(code).toContain(withNewline(entry.toolOutput));
    }
  });

  it('says what became of turns and entries', async () => {
    const kept = varied(3);
    const text = await markdown(kept);
    expect(text).toMatch(/\*Completed · began \S+ · ended \S+ · [\d.]+ s · model-1 · \d+ tokens in, \d+ out\*/);
    expect(text).toContain('*Cancelled · began');
    expect(text).toMatch(/\*Failed · began .*PROCESS\\_CRASH/);
    for (const [found, words] of [
      [kept.entries.some(({ status }) => status === 'error'), 'failed: SERVER\\_STOPPED'],
      [kept.entries.some(({ inContext }) => inContext === false), 'not in the context of the model'],
      [kept.entries.some(({ parentItemId }) => parentItemId !== undefined), '(sub-agent)'],
    ] as const) {
      expect([words, text.includes(words)]).toEqual([words, found]);
    }
  });
});

it('keep/export takes time in proportion to a text that is full of marks', async () => {
  const [entry] = varied(1).entries;
  if (entry?.type !== 'message') throw new Error('The first entry is a message.');
  const long = ['`a``b```c'.repeat(60_000), '<'.repeat(500_000), '```\n'.repeat(120_000), '- '.repeat(250_000)];
  const started = performance.now();
  for (const content of long) {
    const kept = { entries: [{ ...entry, content }], turns: [] };
    expect((await html(kept)).length + (await markdown(kept)).length).toBeGreaterThan(content.length);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
