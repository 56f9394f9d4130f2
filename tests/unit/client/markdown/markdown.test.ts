import { describe, expect, it } from 'vitest';
import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';

function draw(markdown: string): HTMLElement {
  const view = createMarkdownView();
  view.update(markdown, true);
  return view.element;
}

const html = (markdown: string): string => [...draw(markdown).children].map((block) => block.innerHTML).join('|');

describe('links', () => {
  it.each(['https://example.com/a', 'http://example.com', 'mailto:a@example.com'])(
    'to %s open in a new window without a way back',
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
  ])('to %s cannot be followed but can be read', (href) => {
    const link = draw(`[words](<${href}>)`).querySelector('a');
    expect(link?.hasAttribute('href')).toBe(false);
    expect(link?.textContent).toBe('words');
    expect(link?.title).not.toBe('');
  });

  it('are made of bare addresses too', () => {
    expect(draw('See https://example.com/x.').querySelector('a')?.href).toBe('https://example.com/x');
  });
});

describe('images', () => {
  it('are links, never fetched', () => {
    const block = draw('![a cat](https://example.com/cat.png)');
    expect(block.querySelector('img')).toBeNull();
    expect(block.querySelector('a')?.textContent).toBe('a cat');
    expect(block.querySelector('a')?.href).toBe('https://example.com/cat.png');
  });

  it('inside a link are its words', () => {
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

  it('in a block of its own is shown as code', () => {
    const block = draw('<div onclick="x">\n<script>alert(1)</script>\n</div>');
    expect(block.querySelector('.code-language')?.textContent).toBe('html');
    expect(block.querySelector('code')?.textContent).toBe('<div onclick="x">\n<script>alert(1)</script>\n</div>');
  });

  it('of a few plain tags does what it says', () => {
    expect(html('x<br>y <kbd>Ctrl</kbd> H<sub>2</sub>O')).toBe('<p>x<br>y <kbd>Ctrl</kbd> H<sub>2</sub>O</p>');
  });

  it('that is left open ends with its block', () => {
    expect(html('<b>bold\n\nnot bold')).toBe('<p><b>bold</b></p>|<p>not bold</p>');
  });
});

describe('blocks', () => {
  it('of code have their language and a copy button', () => {
    const block = draw('```ts title="x"\nconst a = 1;\n```');
    expect(block.querySelector('.code-language')?.textContent).toBe('ts');
    expect(block.querySelector('button.copy')?.getAttribute('aria-label')).toBe('Copy code');
    expect(block.querySelector('code')?.textContent).toBe('const a = 1;');
  });

  it('of a table scroll inside themselves and keep their alignment', () => {
    const block = draw('| a | b |\n|:-:|--:|\n| 1 | 2 |');
    expect(block.querySelector('.table')?.getAttribute('tabindex')).toBe('0');
    expect([...block.querySelectorAll('td')].map((cell) => cell.getAttribute('align'))).toEqual(['center', 'right']);
  });

  it('of a task list show what is done without being a form', () => {
    const block = draw('- [x] done\n- [ ] open');
    expect(block.querySelector('input')).toBeNull();
    expect([...block.querySelectorAll('li.task')].map((item) => item.textContent)).toEqual(['☑ done', '☐ open']);
  });

  it('of a numbered list keep their first number', () => {
    expect(draw('3. three').querySelector('ol')?.getAttribute('start')).toBe('3');
  });

  it('that are headings come below the title of the page', () => {
    expect([...draw('# a\n\n## b\n\n### c\n\n###### d').querySelectorAll('h2,h3,h6')].map((h) => h.localName)).toEqual([
      'h2',
      'h2',
      'h3',
      'h6',
    ]);
  });
});

describe('text that would cost too much', () => {
  it.each([
    ['deep quotes', '>'.repeat(20_000)],
    ['deep lists', `${'- '.repeat(20_000)}a`],
    ['a long run of underscores', `${'__'.repeat(20_000)}a`],
    ['many half links', `${'[](a'.repeat(20_000)})`],
    ['a word without end', 'x'.repeat(100_000)],
  ])('is shown as it is: %s', (_, text) => {
    // Without limits some of these take a minute; the test's own time limit is the check.
    expect(draw(text).textContent).toContain(text.slice(-10));
  });
});
