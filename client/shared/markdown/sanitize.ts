import createDOMPurify, { type DOMPurify } from 'dompurify';
import { showInvisible } from '../escape-invisible.ts';

/** What our own renderer makes, and nothing more: no images, no media, no forms, no styles, no ids. */
const TAGS = (
  'a b blockquote br code del details div em h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s small span strong sub ' +
  'summary sup table tbody td th thead tr u ul'
).split(' ');
const ATTRIBUTES = ['align', 'class', 'href', 'start', 'title'];
const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const OWN_CLASS = /^(?:language-[\w#+.-]{1,32}|task|task-done|task-open|hljs-[\w-]+(?: [\w-]+_)*)$/;

let purifier: DOMPurify | undefined;

function getPurifier(): DOMPurify {
  if (purifier) return purifier;
  purifier = createDOMPurify(window);
  purifier.setConfig({
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: WEB_ADDRESS,
    // Every other attribute would have to be a web address too.
    ADD_URI_SAFE_ATTR: ['align', 'start'],
    RETURN_DOM_FRAGMENT: true,
  });
  purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
    if (attribute.attrName === 'class') attribute.keepAttr = OWN_CLASS.test(attribute.attrValue);
    if (attribute.attrName === 'title') attribute.attrValue = showInvisible(attribute.attrValue);
  });
  // A destination that is no web address (a path in the project) can be read, not followed.
  purifier.addHook('beforeSanitizeAttributes', (node) => {
    const href = node.nodeName === 'A' ? node.getAttribute('href') : null;
    if (href === null || WEB_ADDRESS.test(href.trim())) return;
    node.removeAttribute('href');
    node.setAttribute('title', showInvisible(href));
  });
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.nodeName !== 'A' || !node.hasAttribute('href')) return;
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  });
  return purifier;
}

/** The only way from text with markup in it to elements on the page. */
export function sanitize(html: string): DocumentFragment {
  // The configuration makes it a fragment; the type knows only the option given per call.
  return getPurifier().sanitize(html) as unknown as DocumentFragment;
}
