import { h } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import type { Task } from './tool-summary.ts';

/** A plan with what is done, what is under way and what is to come. */
export function drawTasks(tasks: readonly Task[]): HTMLElement {
  return h(
    'ul',
    { class: 'tasks' },
    ...tasks.map(({ text, isDone, isCurrent }) =>
      h(
        'li',
        { class: isDone ? 'is-done' : isCurrent ? 'is-current' : '' },
        h('span', { class: 'task-mark', 'aria-hidden': true }, isDone ? '\u2611' : isCurrent ? '\u25B8' : '\u2610'),
        h('span', {}, readable(text), h('span', { class: 'visually-hidden' }, isDone ? ' (done)' : '')),
      ),
    ),
  );
}
