import { describe, expect, it } from 'vitest';
import { morphChildren } from '../../../../client/shared/markdown/morph.ts';

function fragment(html: string): HTMLElement {
  const element = document.createElement('div');
  element.innerHTML = html;
  return element;
}

describe('morphing', () => {
  it.each([
    ['<p>a</p>', '<p>a b</p><p>c</p>'],
    ['<p>a</p><p>b</p>', '<p>a</p>'],
    ['<p>a</p>', '<h2>a</h2>'],
    ['<ul><li>a</li></ul>', '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>'],
    ['<p class="x">a</p>', '<p>a</p>'],
    ['text', '<p>text</p>'],
    ['', '<p>a</p>'],
  ])('makes %s equal to %s', (before, after) => {
    const parent = fragment(before);
    morphChildren(parent, fragment(after));
    expect(parent.innerHTML).toBe(after);
  });

  it('keeps equal nodes and appends to text in place', () => {
    const parent = fragment('<ul><li>one</li><li>tw</li></ul>');
    const [first, second] = parent.querySelectorAll('li');
    const text = second?.firstChild;
    morphChildren(parent, fragment('<ul><li>one</li><li>two</li><li>three</li></ul>'));
    expect(parent.querySelectorAll('li')[0]).toBe(first);
    expect(parent.querySelectorAll('li')[1]?.firstChild).toBe(text);
  });
});
