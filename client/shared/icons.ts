import { ownValue } from '../../shared/own-value.ts';
import { s } from './dom.ts';

/** Icons are decorative: drawn in the colour of the surrounding text and hidden from screen readers. */

const paths = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  check: 'M3.5 8.5l3 3 6-7',
  checks: 'M1.5 8.5l3 3 6-7M8 11l.5.5 6-7',
  chevronDown: 'M4 6l4 4 4-4',
  chevronRight: 'M6 4l4 4-4 4',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
  close: 'M4 4l8 8M12 4l-8 8',
  branch:
    'M5 5.5v5M5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 2.5-6.5 1.5-6.5 4',
  folder: 'M2 4.5h4l1.5 2H14v6.5H2z',
  layers: 'M8 2.5l6 3-6 3-6-3zM2 8.5l6 3 6-3M2 11.5l6 3 6-3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z',
  pin: 'M8 14v-3.5M4.5 10.5h7M5.5 10.5 6.5 6V3h3v3l1 4.5M5.5 3h5',
  remove: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5M7 7v3.5M9 7v3.5',
  restore: 'M3 3v4h4M3.5 7A5 5 0 1 1 3 9.5',
  screen: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  shield: 'M8 1.5 13 3.5v4c0 3.2-2 5.6-5 7-3-1.4-5-3.8-5-7v-4zM8 5v3.5M8 10.9v.1',
  sidebar: 'M2 3h12v10H2zM6 3v10',
  spinner: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  warning: 'M8 2.5 14 13.5H2zM8 6.5v3M8 11.4v.1',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
  return svg(16, name === 'spinner' ? 'icon-spinner spinning' : `icon-${name}`, s('path', { d: paths[name] }));
}

export type SessionStatus = 'running' | 'error' | 'attention' | 'idle';

const statusShapes: Readonly<Record<SessionStatus, () => SVGElement[]>> = {
  idle: () => [s('circle', { cx: 6, cy: 6, r: 2.5 })],
  running: () => [
    s('circle', { cx: 6, cy: 6, r: 4.25 }),
    s('path', { class: 'filled', d: 'M6 1.75a4.25 4.25 0 0 1 0 8.5z' }),
  ],
  attention: () => [s('circle', { class: 'filled', cx: 6, cy: 6, r: 3.5 })],
  error: () => [s('path', { d: 'M6 1.5 11 10.5H1zM6 5v2.25M6 8.9v.1' })],
};

/** The status of a session, told by shape as well as colour. */
export function statusIcon(status: SessionStatus): SVGSVGElement {
  const spinning = status === 'running' ? ' spinning' : '';
  return svg(12, `status-icon status-${status}${spinning}`, ...statusShapes[status]());
}

const agentPaths: Readonly<Record<string, string>> = {
  'claude-code': 'M7 1.5v11M2.2 4.2l9.6 5.6M11.8 4.2l-9.6 5.6',
  codex: 'M2.5 3.5 6 7l-3.5 3.5M7.5 11h4',
};
const OTHER_AGENT = 'M7 2l5 5-5 5-5-5z';

/** An agent, told by shape as well as colour. */
export function agentIcon(cliType: string): SVGSVGElement {
  const path = ownValue(agentPaths, cliType);
  const name = path === undefined ? 'other' : cliType;
  return svg(14, `agent-icon agent-${name}`, s('path', { d: path ?? OTHER_AGENT }));
}

function svg(size: number, className: string, ...shapes: SVGElement[]): SVGSVGElement {
  return s(
    'svg',
    { class: className, viewBox: `0 0 ${size} ${size}`, width: size, height: size, 'aria-hidden': true },
    ...shapes,
  );
}
