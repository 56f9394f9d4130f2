import createDOMPurify, { type DOMPurify } from 'dompurify';
import { escapeInvisibleInLine } from '../escape-invisible.ts';

/** Only what our renderer creates: no images, media, forms, styles or ids. */
const TAGS = (
  'a b blockquote br code del details div em h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s small span strong sub ' +
  'summary sup table tbody td th thead tr u ul'
).split(' ');
const ATTRIBUTES = ['align', 'class', 'href', 'start', 'title'];
const WEB_ADDRESS = /^(?:https?:\/\/|mailto:)/i;
const OWN_CLASS = /^(?:language-[\w#+.-]{1,32}|task|task-done|task-open|hljs-[\w-]+(?: [\w-]+_)*)$/;

export const isOwnClass = (value: string): boolean => OWN_CLASS.test(value);

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
    // Without this, ALLOWED_URI_REGEXP would apply to these attributes too.
    ADD_URI_SAFE_ATTR: ['align', 'start'],
    RETURN_DOM_FRAGMENT: true,
  });
  purifier.addHook('uponSanitizeAttribute', (node, attribute) => {
    if (attribute.attrName === 'href' && node.nodeName !== 'A') attribute.keepAttr = false;
    if (attribute.attrName === 'class') attribute.keepAttr = isOwnClass(attribute.attrValue);
    if (attribute.attrName === 'title') attribute.attrValue = escapeInvisibleInLine(attribute.attrValue);
  });
  // A target that is not a web address, such as a path in the project, is shown as a tooltip instead of a link.
  purifier.addHook('beforeSanitizeAttributes', (node) => {
    const href = node.nodeName === 'A' ? node.getAttribute('href') : null;
    if (href === null || WEB_ADDRESS.test(href.trim())) return;
    node.removeAttribute('href');
    node.setAttribute('title', escapeInvisibleInLine(href));
  });
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.nodeName !== 'A' || !node.hasAttribute('href')) return;
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  });
  return purifier;
}

/** All markup must pass through this function before it reaches the page. */
export function sanitize(html: string): DocumentFragment {
  // RETURN_DOM_FRAGMENT is set in the configuration, where the types do not take it into account.
  return getPurifier().sanitize(html) as unknown as DocumentFragment;
}
