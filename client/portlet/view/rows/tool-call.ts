import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { h, setText } from '../../../shared/dom.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import { type IconName, icon } from '../../../shared/icons.ts';
import { formatDuration } from '../../base/duration.ts';
import type { View } from '../../base/view.ts';
import type { ItemOf } from '../../model/item.ts';
import { drawToolBody } from '../tools/tool-body.ts';
import { type ToolState, toolStateOf } from '../tools/tool-state.ts';
import { summarizeTool } from '../tools/tool-summary.ts';
import { createDisclosure } from './disclosure.ts';
import { createItemError } from './item-error.ts';
import type { RowContext } from './row-context.ts';
import { createSteps } from './steps.ts';

const LABELS: Readonly<Record<ToolState, string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
};
const ICONS: Readonly<Record<ToolState, IconName>> = {
  running: 'spinner',
  done: 'check',
  failed: 'close',
  stopped: 'close',
};

/** A line with status, tool, target and duration. When open, it shows arguments and result. */
export function createToolCall(context: RowContext): View<ItemOf<'tool_call'>> {
  const state = h('span', { class: 'tool-state' });
  const name = h('span', { class: 'tool-name' });
  const target = h('code', { class: 'tool-target' });
  const time = h('span', { class: 'tool-time' });
  const body = h('div', { class: 'tool-body' });
  const disclosure = createDisclosure('tool-call', drawBody);
  disclosure.summary.append(state, name, target, time);
  disclosure.element.append(body);
  const error = createItemError();
  const steps = createSteps(context);
  const element = h('div', { class: 'row tool', 'aria-live': 'off' }, disclosure.element, error.element, steps.element);

  let item: ItemOf<'tool_call'> | undefined;
  let drawn: ToolCallUpsert | undefined;
  /** Paths are shown relative to this directory, which may become known after the call. */
  let projectPath = '';
  let stopTicking: (() => void) | undefined;

  function drawBody(): void {
    if (item === undefined || drawn === item.upsert) return;
    drawn = item.upsert;
    body.replaceChildren(...drawToolBody(item.upsert, { projectPath, onSettled: context.onSettled }));
  }

  function drawTime(): void {
    const end = item?.isOpen ? context.now() : item?.endedAt;
    if (item?.startedAt === undefined || end === undefined) return;
    const duration = end - item.startedAt;
    // A running call is updated once a second, so there is nothing to show before the first.
    setText(time, item.isOpen && duration < 1000 ? '' : formatDuration(duration));
  }

  function drawLine(next: ItemOf<'tool_call'>): void {
    const { upsert } = next;
    const current = toolStateOf(next);
    if (element.dataset.state !== current) {
      element.dataset.state = current;
      state.replaceChildren(icon(ICONS[current]), h('span', { class: 'visually-hidden' }, LABELS[current]));
    }
    setText(name, escapeInvisible(upsert.toolName));
    setText(target, summarizeTool(upsert, projectPath));
    target.hidden = target.textContent === '';
    disclosure.suggest(current === 'failed');
    if (current === 'running') stopTicking ??= context.everySecond(drawTime);
    else {
      stopTicking?.();
      stopTicking = undefined;
    }
  }

  return {
    element,
    update(next) {
      if (item !== next || projectPath !== context.projectPath()) {
        item = next;
        if (projectPath !== context.projectPath()) drawn = undefined;
        projectPath = context.projectPath();
        drawLine(next);
        drawTime();
        error.update(next.upsert);
        if (disclosure.isOpen()) drawBody();
      }
      steps.update({ items: context.childrenOf(next.upsert.itemId), isDone: !next.isOpen });
    },
  };
}
