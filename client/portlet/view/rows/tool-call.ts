import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { h, setText } from '../../../shared/dom.ts';
import { type IconName, icon } from '../../../shared/icons.ts';
import { formatDuration } from '../../base/duration.ts';
import type { View } from '../../base/view.ts';
import { type ItemOf, runsInBackground } from '../../model/item.ts';
import { fillTail } from '../tools/output-view.ts';
import { drawToolBody } from '../tools/tool-body.ts';
import { type ToolState, toolStateOf } from '../tools/tool-state.ts';
import { nameTask, oneLine, summarizeTool } from '../tools/tool-summary.ts';
import { createDisclosure } from './disclosure.ts';
import { createItemError } from './item-error.ts';
import type { RowContext } from './row-context.ts';
import { createSteps } from './steps.ts';
import { createStopButton, type StopValue } from './stop-button.ts';

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
  const mark = h('span', { class: 'tool-mark' });
  const time = h('span', { class: 'tool-time' });
  const body = h('div', { class: 'tool-body' });
  const disclosure = createDisclosure('tool-call', drawBody);
  disclosure.summary.append(state, name, target, h('span', { class: 'tool-facts' }, mark, time));
  disclosure.element.append(body);
  const error = createItemError();
  const steps = createSteps(context);
  const lastLines = h('pre');
  const tail = h('div', { class: 'output tail', hidden: true }, lastLines);
  const element = h(
    'div',
    { class: 'row tool', 'aria-live': 'off' },
    disclosure.element,
    tail,
    error.element,
    steps.element,
  );

  let item: ItemOf<'tool_call'> | undefined;
  let drawn: ToolCallUpsert | undefined;
  /** Paths are shown relative to this directory, which may become known after the call. */
  let projectPath = '';
  let stopTicking: (() => void) | undefined;
  /** Only background work has one. */
  let stop: View<StopValue> | undefined;

  function drawBody(): void {
    if (item === undefined || drawn === item.upsert) return;
    drawn = item.upsert;
    body.replaceChildren(
      ...drawToolBody(item.upsert, {
        projectPath,
        onSettled: context.onSettled,
        drawing: context.drawing,
      }),
    );
  }

  function drawTime(): void {
    const wasStopped = item?.upsert.background === true && toolStateOf(item) === 'stopped';
    const end = item?.isOpen ? context.now() : item?.endedAt;
    if (item?.startedAt === undefined || end === undefined) {
      if (wasStopped) setText(time, 'Stopped');
      return;
    }
    const duration = end - item.startedAt;
    // A running call is updated once a second, so there is nothing to show before the first.
    const shown = item.isOpen && duration < 1000 ? '' : formatDuration(duration);
    setText(time, wasStopped ? `Stopped after ${shown}` : shown);
  }

  function drawTail({ upsert, isOpen }: ItemOf<'tool_call'>): void {
    const output = isOpen ? (upsert.toolOutput ?? '') : '';
    tail.hidden = output.trim() === '';
    if (!tail.hidden) fillTail(lastLines, output);
  }

  function drawStop({ upsert }: ItemOf<'tool_call'>): void {
    const { itemId } = upsert;
    const isRunning = runsInBackground(upsert);
    if (stop === undefined && !isRunning) return;
    stop ??= addStop(itemId);
    stop.update({ isRunning, isStopping: context.isStopping(itemId), what: nameTask(upsert, projectPath) });
  }

  function addStop(itemId: string): View<StopValue> {
    const button = createStopButton({
      onStop: () => context.onAction({ type: 'stop-background', itemId }),
      onFocusLost: () => disclosure.summary.focus(),
    });
    disclosure.element.after(button.element);
    return button;
  }

  function drawLine(next: ItemOf<'tool_call'>): void {
    const { upsert } = next;
    const current = toolStateOf(next);
    if (element.dataset.state !== current) {
      element.dataset.state = current;
      state.replaceChildren(icon(ICONS[current]), h('span', { class: 'visually-hidden' }, LABELS[current]));
    }
    setText(name, oneLine(upsert.toolName));
    setText(target, summarizeTool(upsert, projectPath));
    target.hidden = target.textContent === '';
    setText(mark, upsert.background === true ? 'background' : '');
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
        drawTail(next);
        error.update(next.upsert);
        if (disclosure.isOpen()) drawBody();
      }
      drawStop(next);
      steps.update({ items: context.childrenOf(next.upsert.itemId), isDone: !next.isOpen });
    },
  };
}
