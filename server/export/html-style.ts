/** For screens of every width and for paper, light and dark as the reader's system is. */
export const EXPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c1d21; --soft: #5b5f69; --line: #d9dbe0; --paper: #fff; --raised: #f4f5f7; --bad: #a4262c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e8ec; --soft: #a3a8b4; --line: #34373f; --paper: #15161a; --raised: #1f2127; --bad: #ff9a9a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .125rem 1rem; margin: 0 0 2rem; color: var(--soft); font-size: .875rem; }
dd { margin: 0; }
h2, summary { font-size: .875rem; font-weight: 400; margin: 0 0 .375rem; color: var(--soft); }
h2 b, summary b { color: var(--ink); }
h3 { font-size: .8125rem; font-weight: 600; margin: .75rem 0 .25rem; color: var(--soft); }
article, details { margin: 0 0 1rem; }
.user { background: var(--raised); border-radius: .5rem; padding: .75rem 1rem; }
.part { margin-inline-start: 1.25rem; }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
summary { margin: 0; cursor: pointer; }
summary:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
details[open] > summary { margin-bottom: .5rem; }
.text { white-space: pre-wrap; unicode-bidi: isolate; margin: 0 0 .5rem; }
pre { margin: 0 0 .5rem; padding: .75rem; background: var(--raised); border: 1px solid var(--line); border-radius: .375rem; font: .8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; unicode-bidi: isolate; tab-size: 4; }
.mark { color: var(--bad); }
.turn { margin: 0 0 1.5rem; padding-bottom: .75rem; border-bottom: 1px solid var(--line); color: var(--soft); font-size: .8125rem; }
@media print { body { max-width: none; padding: 0; } .user, pre { border: 1px solid var(--line); } h2, summary { break-after: avoid; } }
`;
