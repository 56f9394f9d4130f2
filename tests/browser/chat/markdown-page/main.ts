import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';

const main = document.querySelector('main') ?? document.body;

/** What our renderer may put on the page. Anything else came from the text. */
const ELEMENTS = new Set(
  (
    'A B BLOCKQUOTE BR BUTTON CODE DEL DETAILS DIV EM H2 H3 H4 H5 H6 HR I INS KBD LI MARK OL P PRE Q S SMALL SPAN ' +
    'STRONG SUB SUMMARY SUP TABLE TBODY TD TH THEAD TR U UL'
  ).split(' '),
);
const ATTRIBUTES = new Set('align aria-label class href rel role start tabindex target title type'.split(' '));

function findForeign(root: Element): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (!ELEMENTS.has(element.tagName)) found.push(element.outerHTML);
    for (const { name, value } of element.attributes) {
      const isBadAddress = name === 'href' && !/^(?:https?:\/\/|mailto:)/i.test(value);
      if (!ATTRIBUTES.has(name) || isBadAddress) found.push(`${name}=${value}`);
    }
  }
  return found;
}

/**
 * Draws each text at once and grown by one code unit at a time. Returns the elements that do not belong on the page, the
 * texts with different results, and those in which a finished block was drawn again.
 */
function checkTexts(texts: readonly string[]) {
  const foreign: string[] = [];
  const different: string[] = [];
  const redrawn: string[] = [];
  for (const text of texts) {
    const whole = createMarkdownView();
    const settled = new Set<HTMLElement>();
    const grown = createMarkdownView((block) => {
      // A link definition changes the blocks above it.
      if (settled.has(block) && !text.includes(']:')) redrawn.push(text);
      settled.add(block);
    });
    main.replaceChildren(whole.element, grown.element);
    whole.update(text, true);
    for (let end = 1; end <= text.length; end += 1) grown.update(text.slice(0, end), false);
    foreign.push(...findForeign(grown.element));
    grown.update(text, true);
    foreign.push(...findForeign(main));
    if (grown.element.innerHTML !== whole.element.innerHTML) different.push(text);
  }
  return { foreign, different, redrawn };
}

Reflect.set(window, 'checkTexts', checkTexts);
