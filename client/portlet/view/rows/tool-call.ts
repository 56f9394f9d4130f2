import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { h, setText } from '../../../shared/dom.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import type { ItemOf } from '../../model/item.ts';
import { formatDuration } from '../../base/duration.ts';
import { type SignName, sign } from '../../signs.ts';
import { drawToolBody } from '../tools/tool-body.ts';
import { type ToolState, toolStateOf } from '../tools/tool-state.ts';
import { summarizeTool } from '../tools/tool-summary.ts';
import { createDisclosure } from './disclosure.ts';
import { createItemError } from './item-error.ts';
import { createSteps } from './steps.ts';
import type { RowContext, View } from '../../base/view.ts';

const WORDS: Readonly<Record<ToolState, string>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
};
const SIGNS: Readonly<Record<ToolState, SignName>> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  stopped: 'failed',
};

/** One line: how it stands, which tool, what it acts on, how long it took. Open, it shows arguments and result. */
export function createToolCall(context: RowContext): View<ItemOf<'tool_call'>> {
  const state = h('span', { class: 'tool-state' });
  const name = h('span', { class: 'tool-name' });
  const what = h('code', { class: 'tool-what' });
  const time = h('span', { class: 'tool-time' });
  const body = h('div', { class: 'tool-body' });
  const disclosure = createDisclosure('tool-call', drawBody);
  disclosure.summary.append(state, name, what, time);
  disclosure.element.append(body);
  const error = createItemError();
  const steps = createSteps(context);
  const element = h('div', { class: 'row tool', 'aria-live': 'off' }, disclosure.element, error.element, steps.element);

  let item: ItemOf<'tool_call'> | undefined;
  let drawn: ToolCallUpsert | undefined;
  /** Paths are shown from here on; it may become known later than the call. */
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
    const took = end - item.startedAt;
    // What is drawn once a second has nothing to tell before the first one is over.
    setText(time, item.isOpen && took < 1000 ? '' : formatDuration(took));
  }

  function drawLine(next: ItemOf<'tool_call'>): void {
    const { upsert } = next;
    const current = toolStateOf(next);
    if (element.dataset.state !== current) {
      element.dataset.state = current;
      state.replaceChildren(sign(SIGNS[current]), h('span', { class: 'visually-hidden' }, WORDS[current]));
    }
    setText(name, readable(upsert.toolName));
    setText(what, summarizeTool(upsert, projectPath));
    what.hidden = what.textContent === '';
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
