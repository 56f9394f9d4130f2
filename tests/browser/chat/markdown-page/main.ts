import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';
import { sanitize } from '../../../../client/shared/markdown/sanitize.ts';

const main = document.querySelector('main') ?? document.body;

/** What our renderer may put on the page. Anything else came from the text. */
const ELEMENTS = new Set(
  (
    'A B BLOCKQUOTE BR BUTTON CODE DEL DETAILS DIV EM H2 H3 H4 H5 H6 HR I INS KBD LI MARK OL P PRE Q S SMALL SPAN ' +
    'STRONG SUB SUMMARY SUP TABLE TBODY TD TH THEAD TR U UL'
  ).split(' '),
);
const ATTRIBUTES = new Set('align aria-label class href rel role start tabindex target title type'.split(' '));

/** Classes of our renderer; the language and the highlighting depend on the text. */
const CLASSES =
  /^(?:|block|code|code plain-text|code-actions|code-bar|code-language|code-part|markdown|quiet copy|quiet format|quiet more|table|task|task-done|task-open|language-[\w#+.-]{1,32}|hljs-[\w-]+(?: [\w-]+_)*)$/;

/** Where our buttons are. */
const FRAMES = new Set(['code-bar', 'code-actions', 'code plain-text']);

/** Only our code blocks have buttons, and every link opens a new window without access to this one. */
function isImitation(element: Element): boolean {
  if (!CLASSES.test(element.className)) return true;
  if (element.tagName === 'BUTTON') return !FRAMES.has(element.parentElement?.className ?? '');
  if (!element.hasAttribute('href')) return element.hasAttribute('target');
  return element.getAttribute('target') !== '_blank' || element.getAttribute('rel') !== 'noopener noreferrer';
}

function findForeign(root: Element): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (!ELEMENTS.has(element.tagName) || isImitation(element)) found.push(element.outerHTML);
    for (const { name, value } of element.attributes) {
      const isBadAddress = name === 'href' && !/^(?:https?:\/\/|mailto:)/i.test(value);
      const isOurs = name === 'hidden' && element.tagName === 'BUTTON';
      if (!(ATTRIBUTES.has(name) || isOurs) || isBadAddress) found.push(`${name}=${value}`);
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

/** Ends of the parts in which a text arrives: `count` of them, in equal distances. */
function partsOf(text: string, count: number): string[] {
  const step = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / step) }, (_, index) => text.slice(0, (index + 1) * step));
}

function clickAll(): void {
  for (const element of main.querySelectorAll<HTMLElement>('*')) {
    // A click on a link is the only thing that may lead somewhere.
    if (element.closest('a[href]') === null) element.click();
  }
}

/** Draws each text at once and in `parts` parts, and clicks on all of it. Returns what does not belong on the page. */
function checkVectors(texts: readonly string[], parts: number): string[] {
  const foreign: string[] = [];
  for (const text of texts) {
    const [whole, grown] = [createMarkdownView(), createMarkdownView()];
    main.replaceChildren(whole.element, grown.element);
    whole.update(text, true);
    for (const part of partsOf(text, parts)) grown.update(part, false);
    foreign.push(...findForeign(grown.element));
    grown.update(text, true);
    foreign.push(...findForeign(main));
    clickAll();
  }
  return foreign;
}

/** The same for markup that goes straight to the sanitizer, which never happens otherwise. */
function checkSanitizer(texts: readonly string[]): string[] {
  const foreign: string[] = [];
  for (const text of texts) {
    main.replaceChildren(sanitize(text));
    foreign.push(...findForeign(main));
    clickAll();
  }
  return foreign;
}

Reflect.set(window, 'checkTexts', checkTexts);
Reflect.set(window, 'checkVectors', checkVectors);
Reflect.set(window, 'checkSanitizer', checkSanitizer);
