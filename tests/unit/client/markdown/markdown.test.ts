import { describe, expect, it } from 'vitest';
import { readCode } from '../../../../client/shared/markdown/code-text.ts';
import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';

function draw(markdown: string): HTMLElement {
  const view = createMarkdownView();
  view.update(markdown, true);
  return view.element;
}

const html = (markdown: string): string => [...draw(markdown).children].map((block) => block.innerHTML).join('|');

describe('links', () => {
  it.each(['https://example.com/a', 'http://example.com', 'mailto:a@example.com'])(
    'to %s open in a new window without access to the opener',
    (href) => {
      const link = draw(`[words](${href})`).querySelector('a');
      expect(link?.getAttribute('href')).toBe(href);
      expect(link?.target).toBe('_blank');
      expect(link?.rel).toBe('noopener noreferrer');
    },
  );

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'javascript&colon;alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.com',
    '/api/session',
    'src/login.ts:12',
  ])('to %s cannot be followed but are shown', (href) => {
    const link = draw(`[words](<${href}>)`).querySelector('a');
    expect(link?.hasAttribute('href')).toBe(false);
    expect(link?.textContent).toBe('words');
    expect(link?.title).not.toBe('');
  });

  it('are created for bare addresses', () => {
    expect(draw('See https://example.com/x.').querySelector('a')?.href).toBe('https://example.com/x');
  });
});

describe('images', () => {
  it('are shown as links and never fetched', () => {
    const block = draw('![a cat](https://example.com/cat.png)');
    expect(block.querySelector('img')).toBeNull();
    expect(block.querySelector('a')?.textContent).toBe('a cat');
    expect(block.querySelector('a')?.href).toBe('https://example.com/cat.png');
  });

  it('inside a link become its text', () => {
    const block = draw('[![badge](https://example.com/b.svg)](https://example.com)');
    expect([...block.querySelectorAll('a')].map((link) => [link.textContent, link.href])).toEqual([
      ['badge', 'https://example.com/'],
    ]);
  });
});

describe('raw HTML', () => {
  it('is shown as text', () => {
    expect(draw('Use <Button onclick=x> here').textContent).toBe('Use <Button onclick=x> here');
    expect(draw('a <!-- hidden --> b').textContent).toBe('a <!-- hidden --> b');
  });

  it('is shown as code if it is a separate block', () => {
    const block = draw('<div onclick="x">\n<script>alert(1)</script>\n</div>');
    expect(block.querySelector('.code-language')?.textContent).toBe('html');
    expect(block.querySelector('code')?.textContent).toBe('<div onclick="x">\n<script>alert(1)</script>\n</div>');
  });

  it('is kept for a few harmless tags', () => {
    expect(html('x<br>y <kbd>Ctrl</kbd> H<sub>2</sub>O')).toBe('<p>x<br>y <kbd>Ctrl</kbd> H<sub>2</sub>O</p>');
  });

  it('is closed at the end of its block', () => {
    expect(html('<b>bold\n\nnot bold')).toBe('<p><b>bold</b></p>|<p>not bold</p>');
  });
});

describe('a block', () => {
  it('of code has its language and a copy button', () => {
    const block = draw('```ts title="x"\nconst a = 1;\n```');
    expect(block.querySelector('.code-language')?.textContent).toBe('ts');
    expect(block.querySelector('button.copy')?.getAttribute('aria-label')).toBe('Copy code');
    expect(block.querySelector('code')?.textContent).toBe('const a = 1;');
  });

  it('with a table scrolls separately and keeps the alignment of columns', () => {
    const block = draw('| a | b |\n|:-:|--:|\n| 1 | 2 |');
    expect(block.querySelector('.table')?.getAttribute('tabindex')).toBe('0');
    expect([...block.querySelectorAll('td')].map((cell) => cell.getAttribute('align'))).toEqual(['center', 'right']);
  });

  it('with a task list shows what is done without form controls', () => {
    const block = draw('- [x] done\n- [ ] open');
    expect(block.querySelector('input')).toBeNull();
    expect([...block.querySelectorAll('li.task')].map((item) => item.textContent)).toEqual(['☑ done', '☐ open']);
  });

  it('with a numbered list keeps its first number', () => {
    expect(draw('3. three').querySelector('ol')?.getAttribute('start')).toBe('3');
  });

  it('with a heading is one level below the title of the page', () => {
    expect([...draw('# a\n\n## b\n\n### c\n\n###### d').querySelectorAll('h2,h3,h6')].map((h) => h.localName)).toEqual([
      'h2',
      'h2',
      'h3',
      'h6',
    ]);
  });
});

describe('text that would take too long to parse', () => {
  it.each([
    ['deep quotes', '>'.repeat(20_000)],
    ['deep lists', `${'- '.repeat(20_000)}a`],
    ['a long run of underscores', `${'__'.repeat(20_000)}a`],
    ['many half links', `${'[](a'.repeat(20_000)})`],
    ['an endless word', 'x'.repeat(100_000)],
  ])('is shown as plain text: %s', (_, text) => {
    // Without limits some of these take a minute, which the test timeout would catch.
    const block = draw(text);
    const code = block.querySelector('code');
    expect(code === null ? block.textContent : readCode(code)).toContain(text.slice(-10));
  });
});
