import type { CliType } from '../../shared/ids.ts';
import { s } from '../shared/dom.ts';
import type { Sign } from './state/selectors.ts';

const shapes: Readonly<Record<Sign, () => SVGElement[]>> = {
  idle: () => [s('circle', { cx: 6, cy: 6, r: 2.5 })],
  running: () => [
    s('circle', { cx: 6, cy: 6, r: 4.25 }),
    s('path', { class: 'filled', d: 'M6 1.75a4.25 4.25 0 0 1 0 8.5z' }),
  ],
  attention: () => [s('circle', { class: 'filled', cx: 6, cy: 6, r: 3.5 })],
  error: () => [s('path', { d: 'M6 1.5 11 10.5H1zM6 5v2.25M6 8.9v.1' })],
};

/** How a session stands, by shape and colour. */
export function drawSign(sign: Sign): SVGSVGElement {
  return s(
    'svg',
    {
      class: sign === 'running' ? 'sign sign-running turning' : `sign sign-${sign}`,
      viewBox: '0 0 12 12',
      width: 12,
      height: 12,
      'aria-hidden': true,
    },
    ...shapes[sign](),
  );
}

const marks: Readonly<Record<string, string>> = {
  'claude-code': 'M7 1.5v11M2.2 4.2l9.6 5.6M11.8 4.2l-9.6 5.6',
  codex: 'M2.5 3.5 6 7l-3.5 3.5M7.5 11h4',
};
const OTHER_MARK = 'M7 2l5 5-5 5-5-5z';

/** Which agent it is, by shape and colour. */
export function drawMark(cliType: CliType): SVGSVGElement {
  const known = cliType in marks ? cliType : 'other';
  return s(
    'svg',
    { class: `mark mark-${known}`, viewBox: '0 0 14 14', width: 14, height: 14, 'aria-hidden': true },
    s('path', { d: marks[cliType] ?? OTHER_MARK }),
  );
}
