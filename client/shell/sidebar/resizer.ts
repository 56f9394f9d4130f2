import { h, setAttribute } from '../../shared/dom.ts';

export const MIN_WIDTH = 200;
export const MAX_WIDTH = 420;
export const DEFAULT_WIDTH = 264;
const STEP = 16;

export const clampWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** The edge of the sidebar. Drag it or use the arrow keys; a double click restores the default width. */
export function createResizer(onWidth: (width: number) => void) {
  let width = DEFAULT_WIDTH;
  const element = h('div', {
    class: 'resizer',
    role: 'separator',
    tabindex: 0,
    'aria-label': 'Sidebar width',
    'aria-orientation': 'vertical',
    'aria-valuemin': MIN_WIDTH,
    'aria-valuemax': MAX_WIDTH,
  });

  const widthByKey: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => width - STEP,
    ArrowRight: () => width + STEP,
    Home: () => MIN_WIDTH,
    End: () => MAX_WIDTH,
  };

  element.addEventListener('keydown', (event) => {
    const next = widthByKey[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onWidth(clampWidth(next()));
  });
  element.addEventListener('dblclick', () => onWidth(DEFAULT_WIDTH));
  element.addEventListener('pointerdown', (event) => {
    const offset = event.clientX - width;
    const dragging = new AbortController();
    // Without capture, the iframes would swallow the pointer events.
    element.setPointerCapture(event.pointerId);
    element.addEventListener('pointermove', (moved) => onWidth(clampWidth(moved.clientX - offset)), {
      signal: dragging.signal,
    });
    element.addEventListener('lostpointercapture', () => dragging.abort(), { once: true });
  });

  return {
    element,
    render(next: number): void {
      width = next;
      setAttribute(element, 'aria-valuenow', next);
    },
  };
}
