import { describe, expect, it } from 'vitest';
import { h, placeChildren, s, setAttribute, setPageTitle, setText } from '../../../../client/shared/dom.ts';

describe('creating elements', () => {
  it('writes text as text, never as markup', () => {
    expect(h('p', {}, '<img src=x onerror=alert(1)>').innerHTML).toBe('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('omits attributes that are off, writes flags as empty values and aria values as true or false', () => {
    const element = h('button', {
      hidden: false,
      disabled: true,
      title: null,
      'aria-pressed': false,
      'aria-busy': true,
    });
    expect(element.outerHTML).toBe('<button disabled="" aria-pressed="false" aria-busy="true"></button>');
  });

  it('adds listeners and skips missing children', () => {
    let clicks = 0;
    const button = h('button', { on: { click: () => (clicks += 1) } }, 'a', null, false, undefined, h('b'));
    button.click();
    expect(clicks).toBe(1);
    expect(button.innerHTML).toBe('a<b></b>');
  });

  it('creates SVG elements in the SVG namespace', () => {
    expect(s('path', { d: 'M0 0' }).namespaceURI).toBe('http://www.w3.org/2000/svg');
  });
});

describe('safe/visible what a person reads is shown without hidden characters', () => {
  it('in text and in the attributes that are read', () => {
    const element = h('p', { title: 'a\u202Eb', 'aria-label': 'a\u0007b' }, 'a\u200Bb');
    expect(element.outerHTML).toBe('<p title="a⟨U+202E⟩b" aria-label="a␇b">a⟨U+200B⟩b</p>');
    setText(element, 'c\u2066d');
    setAttribute(element, 'title', 'c\rd');
    expect(element.outerHTML).toBe('<p title="c␍d" aria-label="a␇b">c⟨U+2066⟩d</p>');
    setPageTitle('e\u202Ef');
    expect(document.title).toBe('e⟨U+202E⟩f');
  });

  it('but ids, addresses and data stay as they are', () => {
    const element = h('a', { id: 'a\u202Eb', href: 'https://example.com/\u200B', 'data-id': 'a\uFEFFb' });
    expect([element.id, element.getAttribute('href'), element.dataset.id]).toEqual([
      'a\u202Eb',
      'https://example.com/\u200B',
      'a\uFEFFb',
    ]);
  });

  it('and text that is already written out is not escaped again', () => {
    const element = h('p', {}, 'a⟨U+202E⟩ ␇');
    setText(element, element.textContent ?? '');
    expect(element.textContent).toBe('a⟨U+202E⟩ ␇');
  });
});

describe('changing elements', () => {
  it('does not write the same text again', () => {
    const element = h('p', {}, 'same');
    const node = element.firstChild;
    setText(element, 'same');
    expect(element.firstChild).toBe(node);
    setText(element, 'other');
    expect(element.textContent).toBe('other');
  });

  it('puts children in the given order and moves only those out of place', async () => {
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
