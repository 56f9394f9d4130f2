import { h, setAttribute, setText } from '../../../shared/dom.ts';
import type { View } from '../../base/view.ts';

export interface StopValue {
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  /** What would be stopped, for screen readers. */
  readonly what: string;
}

export interface StopButtonOptions {
  readonly onStop: () => void;
  /** The work has ended while the button had the focus. */
  readonly onFocusLost: () => void;
}

/** Stops background work. Stays focusable while the stop is under way. */
export function createStopButton({ onStop, onFocusLost }: StopButtonOptions): View<StopValue> {
  const element = h('button', { type: 'button', class: 'quiet stop', on: { click: onStop } });
  return {
    element,
    update({ isRunning, isStopping, what }) {
      if (!isRunning && document.activeElement === element) onFocusLost();
      element.hidden = !isRunning;
      setText(element, isStopping ? 'Stopping\u2026' : 'Stop');
      setAttribute(element, 'aria-label', `${isStopping ? 'Stopping' : 'Stop'} ${what}`);
      setAttribute(element, 'aria-disabled', isStopping ? true : null);
    },
  };
}
