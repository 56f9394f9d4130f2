import { describe, expect, it } from 'vitest';
import { readCode } from '../../../../client/shared/markdown/code-text.ts';
import { formatPart, type PartRequest } from '../../../../client/shared/markdown/format-part.ts';
import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';
import { heavyMarkdown } from '../../../fixtures/hostile/heavy-texts.ts';

/** A view whose background answers and whose frames are drawn when the test says so. */
function startView() {
  const requests: {
    request: PartRequest;
    budgetMs: number;
    resolve: (part: ReturnType<typeof formatPart> | undefined) => void;
  }[] = [];
  const tasks: (() => void)[] = [];
  const view = createMarkdownView(() => undefined, {
    work: {
      format: (request, budgetMs) => new Promise((resolve) => requests.push({ request, budgetMs, resolve })),
    },
    schedule: (task) => void tasks.push(task),
  });
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  async function drawFrames(): Promise<void> {
    await settle();
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) task();
  }
  return {
    view,
    requests,
    /** Answers the oldest request and draws. */
    async answer(): Promise<void> {
      const asked = requests.shift();
      asked?.resolve(formatPart(asked.request));
      await drawFrames();
    },
    async exceed(): Promise<void> {
      requests.shift()?.resolve(undefined);
      await drawFrames();
    },
    async answerAll(): Promise<void> {
      while (requests.length > 0) await this.answer();
    },
    plain: () => view.element.querySelector<HTMLElement>(':scope > .plain-text:not([hidden])'),
    text: () => {
      const code = view.element.querySelector(':scope > .plain-text code');
      return code === null ? '' : readCode(code);
    },
    button: (name: string) =>
      [...view.element.querySelectorAll('button')].find((button) => button.textContent === name && !button.hidden),
  };
}

const blocksOf = ({ view }: ReturnType<typeof startView>): string[] =>
  [...view.element.querySelectorAll('.block')].map((block) => block.outerHTML);

const long = Array.from({ length: 80 }, (_, index) => `Paragraph **${index}** ${'with words '.repeat(40)}.`).join(
  '\n\n',
);
const quotes = heavyMarkdown['descending quotes'] ?? '';

describe('text that may take long to format', () => {
  it('safe/frozen-text is shown plain at once, and formatted when that is done', async () => {
    const rig = startView();
    rig.view.update(long, true);
    expect(rig.text()).toBe(long);
    await rig.answerAll();
    expect(rig.plain()).toBeNull();
    expect(rig.view.element.querySelectorAll('strong')).toHaveLength(80);
    expect(rig.view.element.querySelector('.block-group:last-child > :last-child strong')?.textContent).toBe('79');
  });

  it('safe/frozen-text stays plain if that takes too long, until the user asks for it', async () => {
    const rig = startView();
    rig.view.update(quotes, true);
    await rig.exceed();
    expect(rig.text()).toBe(quotes);
    expect(rig.plain()?.textContent).toContain('Not formatted');
    rig.button('Show formatted')?.click();
    expect(rig.plain()?.textContent).toContain('Formatting…');
    expect(rig.requests[0]?.budgetMs).toBeGreaterThan(10_000);
    await rig.exceed();
    expect(rig.plain()?.textContent).toContain('Too complex to format');
    expect(rig.text()).toBe(quotes);
  });

  it('safe/frozen-text shows its beginning, and all of it on request; copying gives all of it', async () => {
    const rig = startView();
    rig.view.update(long, true);
    const code = rig.view.element.querySelector('.plain-text code');
    expect(code?.textContent.length).toBeLessThan(25_000);
    expect(code && readCode(code)).toBe(long);
    rig.button('Show all')?.click();
    expect(code?.textContent.length).toBeGreaterThan(long.length * 0.9);
  });

  it('safe/frozen-text that grows keeps what is formatted and shows the rest plain until it is finished', async () => {
    const rig = startView();
    rig.view.update('# Title\n\nFirst.', false);
    rig.view.update(`# Title\n\nFirst.\n\n${quotes}`, false);
    expect(rig.view.element.querySelector('h2')?.textContent).toBe('Title');
    expect(rig.text()).toBe(`\n\n${quotes}`);
    expect(rig.requests).toHaveLength(0);
    rig.view.update(`# Title\n\nFirst.\n\n${quotes}\nmore`, false);
    expect(rig.text()).toBe(`\n\n${quotes}\nmore`);
    rig.view.update(`# Title\n\nFirst.\n\n${quotes}\nmore`, true);
    expect(rig.requests).toHaveLength(1);
  });

  it('safe/frozen-text looks the same in the end, whether it grew or not', async () => {
    const whole = startView();
    whole.view.update(long, true);
    await whole.answerAll();
    const grown = startView();
    for (let end = 0; end < long.length; end += 9_973) grown.view.update(long.slice(0, end), false);
    grown.view.update(long, true);
    await grown.answerAll();
    expect(blocksOf(grown)).toEqual(blocksOf(whole));
  });

  it('safe/frozen-text is drawn in groups of blocks, which the browser can skip, and leaves none behind', async () => {
    const rig = startView();
    rig.view.update('a\n\n'.repeat(2_800), true);
    await rig.answerAll();
    const groups = [...rig.view.element.querySelectorAll('.block-group')];
    expect(blocksOf(rig)).toHaveLength(2_800);
    expect(groups.map((group) => group.childElementCount)).toEqual(Array.from({ length: 70 }, () => 40));
    rig.view.update('b', true);
    expect(rig.view.element.textContent).toBe('b');
    expect(rig.view.element.querySelectorAll('.block-group')).toHaveLength(1);
  });

  it('forgets the old text when it changes while it is being formatted', async () => {
    const rig = startView();
    rig.view.update(long, true);
    rig.view.update('Short **text**', true);
    await rig.answerAll();
    expect(rig.view.element.textContent).toBe('Short text');
  });
});

describe('a block', () => {
  it.each(['a table of many rows', 'Arabic letters', 'a table of a million cells', 'a word without an end'])(
    'safe/frozen-text is shown plain if drawing it would take too long: %s',
    async (name) => {
      const rig = startView();
      const text = heavyMarkdown[name] ?? '';
      rig.view.update(text, true);
      await rig.answerAll();
      const code = rig.view.element.querySelector('.plain-text code');
      expect(code && readCode(code)).toContain(text.slice(-100).trim());
      expect(rig.view.element.querySelectorAll('*').length).toBeLessThan(200);
    },
    60_000,
  );

  it('safe/frozen-text is shown plain if it leaves many elements open', () => {
    const rig = startView();
    rig.view.update('word <b> '.repeat(100), true);
    expect(rig.view.element.querySelector('b')).toBeNull();
    rig.view.update('<b>word</b> '.repeat(100), true);
    expect(rig.view.element.querySelectorAll('b')).toHaveLength(100);
  });
});
