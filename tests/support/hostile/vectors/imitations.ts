/** Classes, ids and hooks of our own pages, which text must not be able to use. */
const hooks = [
  'class="copy"',
  'class="quiet copy"',
  'class="code"',
  'class="row agent"',
  'class="turn-error"',
  'class="banner"',
  'class="stop"',
  'class="notice notice-error"',
  'class="dialog"',
  'class="visually-hidden"',
  'class="language-js copy"',
  'class="hljs-x copy"',
  'class="task copy"',
  'id="problem"',
  'id="session-title"',
  'id="agent-name"',
  'id="shell"',
  'data-row="x"',
  'data-action="archive"',
  'data-id="claude-code"',
  'data-session="x"',
  'data-state="running"',
  'role="dialog"',
  'role="alert"',
  'role="log"',
  'aria-live="assertive"',
  'aria-hidden="true"',
  'hidden',
  'inert',
  'tabindex="1"',
  'accesskey="s"',
  'contenteditable',
  'draggable="true"',
  'dir="rtl"',
  'lang="x"',
  'slot="x"',
  'part="x"',
  'itemscope',
  'popover',
  'nonce="x"',
];
const elements = [
  'button type=button',
  'a href=https://example.com',
  'b',
  'span',
  'details',
  'summary',
  'div',
  'form',
  'code',
  'pre',
  'dialog open',
  'label',
  'input',
];

/** Markup that looks like our own controls, or would trigger their listeners. */
export const imitationVectors = (): string[] => [
  ...hooks.flatMap((hook, index) =>
    elements
      .filter((_, number) => (number + index) % 3 === 0)
      .map((element) => `<${element} ${hook}>Copy <code>pwned()</code></${element.split(' ')[0]}>`),
  ),
  ...[
    'js copy',
    'js" class="copy',
    'js" data-row="x',
    '"><button class=copy>',
    'js\tonclick=pwned()',
    '__proto__',
    'constructor',
    '../../x',
    'js\u202E',
    '<img/src=x/onerror=pwned()>',
  ].map((info) => `\`\`\`${info}\ncode\n\`\`\``),
];

const ESC = '\u001b';

/** Terminal output that links, retitles, moves or hides. */
export function terminalVectors(leak: string): string[] {
  const ends = ['\u0007', `${ESC}\\`, '\u009c', ''];
  return [
    ...ends.flatMap((end) => [
      `${ESC}]8;;${leak}${end}link${ESC}]8;;${end}`,
      `${ESC}]8;;javascript:pwned()${end}<img src=x onerror=pwned()>${ESC}]8;;${end}`,
      `${ESC}]0;<script>pwned()</script>${end}title`,
      `${ESC}]52;c;cHduZWQoKQ==${end}clipboard`,
      `${ESC}]1337;File=inline=1:PHN2Zz4=${end}image`,
      `${ESC}P<img src=x onerror=pwned()>${end}dcs`,
      `${ESC}_G${leak}${end}apc`,
    ]),
    `${ESC}[31m<img src=x onerror=pwned()>${ESC}[0m`,
    `<b>${ESC}[1m</b><script>${ESC}[0mpwned()</script>`,
    `safe\r<script>pwned()</script>`,
    `ab\b\b<script>pwned()</script>`,
    `${ESC}[2J${ESC}[H${ESC}[?25l<svg onload=pwned()>`,
    `\u009b31m\u009d8;;${leak}\u009clink`,
  ];
}
