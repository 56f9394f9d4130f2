/** Element, event and property names from the HTML, SVG and MathML standards and from what browsers had before them. */

const words = (text: string): string[] => text.trim().split(/\s+/);

export const htmlElements = words(`
  a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
  button canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl
  dt element em embed fencedframe fieldset figcaption figure font footer form frame frameset geolocation h1 h6 head
  header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark
  marquee menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p
  param permission picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search section select
  selectedcontent selectlist shadow slot small source spacer span strike strong style sub summary sup table tbody td
  template textarea tfoot th thead time title tr track tt u ul var video wbr xmp x-custom`);

export const svgElements = words(`
  a animate animateMotion animateTransform circle clipPath defs desc discard ellipse feBlend feImage filter
  foreignObject g handler image line linearGradient listener marker mask metadata mpath path pattern polygon rect script
  set stop style switch symbol text textPath title tspan use view`);

export const mathElements = words(`
  annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi mlabeledtr
  mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msup mtable mtd mtext mtr munder
  semantics`);

export const events = words(`
  onabort onactivate onafterprint onafterscriptexecute onanimationcancel onanimationend onanimationiteration
  onanimationstart onauxclick onbeforecopy onbeforecut onbeforeinput onbeforematch onbeforepaste onbeforeprint
  onbeforescriptexecute onbeforetoggle onbeforeunload onbegin onblur onbounce oncancel oncanplay oncanplaythrough
  onchange onclick onclose oncommand oncontentvisibilityautostatechange oncontextlost oncontextmenu oncopy oncuechange
  oncut ondblclick ondrag ondragend ondragenter ondragstart ondrop ondurationchange onemptied onend onended onerror
  onfinish onfocus onfocusin onfocusout onformdata onfullscreenchange ongesturestart ongotpointercapture onhashchange
  oninput oninvalid onkeydown onkeypress onkeyup onload onloadeddata onloadedmetadata onloadend onloadstart
  onlostpointercapture onmessage onmousedown onmouseenter onmouseleave onmousemove onmouseout onmouseover onmouseup
  onmousewheel onmove onoffline ononline onpagehide onpagereveal onpageshow onpaste onpause onplay onplaying
  onpointercancel onpointerdown onpointerenter onpointermove onpointerover onpointerrawupdate onpointerup onpopstate
  onprogress onpropertychange onratechange onreadystatechange onrepeat onreset onresize onscroll onscrollend
  onscrollsnapchange onsearch onsecuritypolicyviolation onseeked onseeking onselect onselectionchange onselectstart
  onshow onslotchange onstalled onstart onstorage onsubmit onsuspend ontimeupdate ontoggle ontouchend ontouchstart
  ontransitionend ontransitionrun ontransitionstart onunhandledrejection onunload onvolumechange onwaiting
  onwebkitanimationend onwebkitplaybacktargetavailabilitychanged onwheel onzoom`);

/** Properties that page code, DOMPurify or our own code reads from nodes, from forms and from the window. */
export const clobbered = words(`
  __proto__ activeElement addEventListener all append appendChild assign attributes baseURI body childNodes children
  className classList cloneNode closest content contentDocument contentWindow constructor cookie createDocument
  createElement createHTMLDocument createNodeIterator createTreeWalker currentScript dataset defaultView dialog document
  documentElement dompurify DOMPurify elements firstChild firstElementChild forms frames getAttribute
  getElementById getElementsByName getElementsByTagName hasAttribute hasAttributes hasChildNodes head heard history
  hostname href id images implementation importNode innerHTML insertBefore isConnected lastChild length liminal links
  localName localStorage location login method name namespaceURI navigator nextSibling nodeName nodeType nodeValue open
  opener origin outerHTML ownerDocument parent parentElement parentNode plugins postMessage prefix previousSibling
  querySelector querySelectorAll remove removeAttribute removeAttributeNode removeChild removed replaceChildren replaceWith
  scripts self send setAttribute shadowRoot shell status style submit tagName target tell textContent title toString
  token top trustedTypes URL valueOf window`);
