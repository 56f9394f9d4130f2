import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCode } from '../../../../client/shared/markdown/code-text.ts';
import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';
import { commonMarkExamples, ownExamples } from '../../../fixtures/markdown/examples.ts';

function drawWhole(text: string): string {
  const view = createMarkdownView();
  view.update(text, true);
  return view.element.innerHTML;
}

/** A browser test cuts every example after every character; a real browser is much faster at that. */
describe('growing Markdown', () => {
  it('gives the same result wherever the text is split', () => {
    const text = fc.array(fc.constantFrom(...commonMarkExamples, ...ownExamples), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }), (parts, places) => {
        const whole = parts.join('\n\n');
        const cuts = places.map((place) => Math.floor(place * whole.length)).sort((a, b) => a - b);
        const view = createMarkdownView();
        for (const cut of cuts) view.update(whole.slice(0, cut), false);
        view.update(whole, true);
        expect(view.element.innerHTML).toBe(drawWhole(whole));
      }),
      { numRuns: 40 },
    );
  }, 30_000);

  it('does not touch finished blocks', () => {
    const text =
      '# Title\n\nFirst paragraph.\n\n- a list\n- of two\n\n```ts\ncode\n```\n\nThe last one grows and grows.';
    const view = createMarkdownView();
    const stable: Element[] = [];
    for (let end = 1; end <= text.length; end += 1) {
      view.update(text.slice(0, end), false);
      const blocks = [...view.element.children];
      for (const [index, block] of stable.entries()) expect(blocks[index]).toBe(block);
      stable.splice(0, stable.length, ...blocks.slice(0, -2));
    }
    view.update(text, true);
    expect([...view.element.children].slice(0, stable.length)).toEqual(stable);
  });

  it('reports each finished block once', () => {
    const settled: string[] = [];
    const view = createMarkdownView((block) => settled.push(block.textContent ?? ''));
    const text = 'One.\n\nTwo.\n\nThree.\n';
    for (let end = 1; end <= text.length; end += 1) view.update(text.slice(0, end), false);
    expect(settled).toEqual(['One.', 'Two.']);
    view.update(text, true);
    expect(settled).toEqual(['One.', 'Two.', 'Three.']);
  });

  it('only extends the text of an open code block', () => {
    const view = createMarkdownView();
    view.update('```ts\nconst a', false);
    const node = view.element.querySelector('code')?.firstChild;
    for (const more of ['const a = 1;', 'const a = 1;\n', 'const a = 1;\nconst b = 2;\n\n', 'const a = 1;\n``']) {
      view.update(`\`\`\`ts\n${more}`, false);
      expect(view.element.querySelector('code')?.firstChild).toBe(node);
      expect(view.element.querySelector('code')?.textContent).toBe(more.replace(/\n$/, ''));
    }
  });

  it('splits long code into parts and does not touch complete ones', () => {
    const lines = Array.from({ length: 450 }, (_, index) => `line ${index}`);
    const text = `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
    const view = createMarkdownView();
    view.update(text.slice(0, 3_000), false);
    const part = view.element.querySelector('.code-part');
    for (let end = 3_000; end <= text.length; end += 97) view.update(text.slice(0, end), false);
    view.update(text, true);
    const code = view.element.querySelector('code');
    expect(view.element.querySelectorAll('.code-part')).toHaveLength(3);
    expect(view.element.querySelector('.code-part')).toBe(part);
    expect(code && readCode(code)).toBe(lines.join('\n'));
    expect(view.element.innerHTML).toBe(drawWhole(text));
  });

  it('closes a code block and continues after it', () => {
    const view = createMarkdownView();
    view.update('```\ncode', false);
    view.update('```\ncode\n``', false);
    view.update('```\ncode\n```', false);
    view.update('```\ncode\n```\n\nText', false);
    expect(view.element.querySelector('code')?.textContent).toBe('code');
    expect(view.element.lastElementChild?.textContent).toBe('Text');
  });

  it('accepts a different text instead of an extended one', () => {
    const view = createMarkdownView();
    view.update('# One\n\nTwo\n\nThree', false);
    view.update('Other **text**', true);
    expect(view.element.innerHTML).toBe(drawWhole('Other **text**'));
  });

  it('resolves link references that are defined later', () => {
    const view = createMarkdownView();
    const text = 'See [docs].\n\nMore.\n\nEven more.\n\n[docs]: https://example.com\n';
    for (let end = 1; end <= text.length; end += 5) view.update(text.slice(0, end), false);
    expect(view.element.querySelector('a')).toBeNull();
    view.update(text, true);
    expect(view.element.querySelector('a')?.href).toBe('https://example.com/');
  });

  it('resolves link references that were defined earlier', () => {
    const view = createMarkdownView();
    view.update('[docs]: https://example.com\n\nOne.\n\nTwo.\n\nSee [do', false);
    view.update('[docs]: https://example.com\n\nOne.\n\nTwo.\n\nSee [docs]. ', false);
    expect(view.element.querySelector('a')?.href).toBe('https://example.com/');
  });
});
