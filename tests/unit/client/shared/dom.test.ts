import { describe, expect, it } from 'vitest';
import { h, placeChildren, s, setText } from '../../../../client/shared/dom.ts';

describe('making elements', () => {
  it('writes text as text, never as markup', () => {
    expect(h('p', {}, '<img src=x onerror=alert(1)>').innerHTML).toBe('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('leaves out what is off, writes flags empty, and aria values as words', () => {
    const element = h('button', {
      hidden: false,
      disabled: true,
      title: null,
      'aria-pressed': false,
      'aria-busy': true,
    });
    expect(element.outerHTML).toBe('<button disabled="" aria-pressed="false" aria-busy="true"></button>');
  });

  it('listens, and leaves out children that are not there', () => {
    let clicks = 0;
    const button = h('button', { on: { click: () => (clicks += 1) } }, 'a', null, false, undefined, h('b'));
    button.click();
    expect(clicks).toBe(1);
    expect(button.innerHTML).toBe('a<b></b>');
  });

  it('draws in the namespace of SVG', () => {
    expect(s('path', { d: 'M0 0' }).namespaceURI).toBe('http://www.w3.org/2000/svg');
  });
});

describe('changing elements', () => {
  it('text that is the same is not written again', () => {
    const element = h('p', {}, 'same');
    const node = element.firstChild;
    setText(element, 'same');
    expect(element.firstChild).toBe(node);
    setText(element, 'other');
    expect(element.textContent).toBe('other');
  });

  it('children come into the given order, and only those out of place are touched', async () => {
    const [a, b, c, d] = [h('i', { id: 'a' }), h('i', { id: 'b' }), h('i', { id: 'c' }), h('i', { id: 'd' })];
    const parent = h('div', {}, a, b, c);
    const records: MutationRecord[] = [];
    const observer = new MutationObserver((seen) => records.push(...seen));
    observer.observe(parent, { childList: true });
    placeChildren(parent, [a, b, c]);
    expect(observer.takeRecords()).toEqual([]);
    placeChildren(parent, [c, a, d]);
    expect([...parent.children].map(({ id }) => id)).toEqual(['c', 'a', 'd']);
    const touched = observer.takeRecords().flatMap(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes]);
    expect(touched).not.toContain(a);
  });
});
