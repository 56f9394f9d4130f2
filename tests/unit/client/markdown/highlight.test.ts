import { describe, expect, it } from 'vitest';
import { highlightCode } from '../../../../client/shared/markdown/highlight.ts';
import { findLanguage } from '../../../../client/shared/markdown/languages.ts';

function code(language: string, text: string): HTMLElement {
  const element = document.createElement('code');
  element.className = `language-${language}`;
  element.textContent = text;
  document.body.append(element);
  return element;
}

describe('highlighting', () => {
  it('colours a known language without changing a character', async () => {
    const element = code('ts', 'const a: string = "<b>&amp;</b>";');
    await highlightCode(element);
    expect(element.querySelector('.hljs-keyword')?.textContent).toBe('const');
    expect(element.textContent).toBe('const a: string = "<b>&amp;</b>";');
    expect(element.querySelector('b')).toBeNull();
  });

  it.each([
    ['an unknown language', 'klingon', 'x'],
    ['very long code', 'ts', 'const a = 1;\n'.repeat(5_000)],
  ])('does not change %s', async (_, language, text) => {
    const element = code(language, text);
    await highlightCode(element);
    expect(element.firstElementChild).toBeNull();
  });

  it('does not touch code that changed while the grammar was loading', async () => {
    const element = code('ruby', 'puts 1');
    const done = highlightCode(element);
    element.textContent = 'puts 2';
    await done;
    expect(element.innerHTML).toBe('puts 2');
  });

  it.each([
    ['TS', 'typescript'],
    ['sh', 'bash'],
    ['html', 'xml'],
    ['python', 'python'],
    ['constructor', undefined],
    ['__proto__', undefined],
    ['', undefined],
  ])('resolves %s to %s', (fence, language) => {
    expect(findLanguage(fence)).toBe(language);
  });
});
