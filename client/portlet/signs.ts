import { s } from '../shared/dom.ts';

/** Small drawings on a 16 by 16 grid, in the colour of the text around them, unseen by screen readers. */
const paths = {
  running: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  done: 'M3.5 8.5l3 3 6-7',
  failed: 'M4 4l8 8M12 4l-8 8',
  down: 'M8 3v10M4 9l4 4 4-4',
  chevron: 'M6 4l4 4-4 4',
} as const;

export type SignName = keyof typeof paths;

export function sign(name: SignName): SVGSVGElement {
  const turning = name === 'running' ? ' turning' : '';
  return s(
    'svg',
    { class: `sign sign-${name}${turning}`, viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': true },
    s('path', { d: paths[name] }),
  );
}
