import { s } from './dom.ts';

/** Drawn on a 16 by 16 grid, in the colour of the text around them, unseen by screen readers. */
const paths = {
  add: 'M8 3v10M3 8h10',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v6h9v-6M6.5 9h3',
  check: 'M3.5 8.5l3 3 6-7',
  chevronDown: 'M4 6l4 4 4-4',
  chevronRight: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  folder: 'M2 4.5h4l1.5 2H14v6.5H2z',
  remove: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5M7 7v3.5M9 7v3.5',
  sidebar: 'M2 3h12v10H2zM6 3v10',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z',
  screen: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
} as const;

export type IconName = keyof typeof paths;

export function icon(name: IconName): SVGSVGElement {
  return s(
    'svg',
    { class: `icon-${name}`, viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': true },
    s('path', { d: paths[name] }),
  );
}
