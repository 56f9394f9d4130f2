import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import { createMarkdownView } from '../../../shared/markdown/markdown-view.ts';
import { appendItems } from '../text/clipped-list.ts';
import { drawClipped } from '../text/clipped-text.ts';
import { backgroundOf, type Drawing } from '../text/drawing.ts';
import { drawDiff } from './diff-view.ts';
import { drawOutput } from './output-view.ts';
import { isFailed } from './tool-state.ts';
import { type Task, tasksOf } from './tool-summary.ts';

export interface ToolBodyContext {
  readonly projectPath: string;
  readonly onSettled: (block: HTMLElement) => void;
  readonly drawing: Drawing;
}

/** The input and the result of a tool call, in a form that suits the tool. */
export function drawToolBody(upsert: ToolCallUpsert, context: ToolBodyContext): Node[] {
  return [...drawInput(upsert, context), ...drawResult(upsert, context)].filter((part) => part !== null);
}

function drawInput(upsert: ToolCallUpsert, { projectPath, drawing }: ToolBodyContext): (Node | null)[] {
  const { toolArguments: args, toolKind, diffs } = upsert;
  const tasks = tasksOf(args);
  if (tasks !== undefined) return [drawTasks(tasks)];
  if (diffs !== undefined && diffs.length > 0) return diffs.map((diff) => drawDiff(diff, projectPath, drawing));
  if (toolKind !== 'execute') return [drawArguments(args, drawing)];
  const { command: longCommand, cmd, description, cwd, ...rest } = args;
  const others = cwd === projectPath ? rest : { ...rest, cwd };
  const command = longCommand ?? cmd;
  if (command === undefined) return [drawArguments(args, drawing)];
  const text = Array.isArray(command) ? command.join(' ') : String(command);
  return [
    typeof description === 'string' ? h('p', { class: 'description' }, ...drawClipped(description)) : null,
    h('pre', { class: 'command', tabindex: '0' }, ...drawClipped(text)),
    drawArguments(others, drawing),
  ];
}

function drawResult(upsert: ToolCallUpsert, { onSettled, drawing }: ToolBodyContext): (Node | null)[] {
  const { toolOutput: output, toolKind, exitCode, diffs } = upsert;
  const exit =
    exitCode === undefined
      ? null
      : h('p', { class: exitCode === 0 ? 'exit' : 'exit is-failed' }, `exit code ${exitCode}`);
  const parts: (Node | null)[] = [exit];
  const isShownByDiff = diffs !== undefined && diffs.length > 0 && !isFailed(upsert);
  const isTasks = tasksOf(upsert.toolArguments) !== undefined && !isFailed(upsert);
  if (output === undefined || isShownByDiff || isTasks) return parts;
  if (output.trim() === '') return [h('p', { class: 'no-output' }, 'no output'), exit];
  if (toolKind === 'think' && !isFailed(upsert)) {
    const markdown = createMarkdownView(onSettled, backgroundOf(drawing));
    markdown.update(output, true);
    return [markdown.element];
  }
  // Some agents start the output with the exit code, which is shown separately here.
  const text = exitCode === undefined ? output : output.replace(new RegExp(`^Exit code ${exitCode}\\n`), '');
  const end = toolKind === 'execute' || isFailed(upsert) ? 'last' : 'first';
  return [drawOutput(text, { end, schedule: drawing.schedule }), exit];
}

function drawArguments(args: Readonly<Record<string, unknown>>, { schedule }: Drawing): HTMLElement | null {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length === 0) return null;
  const list = h('dl', { class: 'arguments' });
  const draw = ([name, value]: readonly [string, unknown]): HTMLElement[] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const isLong = text.includes('\n') || text.length > 200;
    return [
      h('dt', {}, ...drawClipped(name)),
      h('dd', {}, isLong ? drawOutput(text, { end: 'first', schedule }) : h('code', {}, text)),
    ];
  };
  appendItems(list, entries, draw, (button) => h('dd', {}, button));
  return list;
}

function drawTasks(tasks: readonly Task[]): HTMLElement {
  const list = h('ul', { class: 'tasks' });
  const draw = ({ text, isDone, isCurrent }: Task): HTMLElement[] => [
    h(
      'li',
      { class: isDone ? 'is-done' : isCurrent ? 'is-current' : '' },
      h('span', { class: 'task-mark', 'aria-hidden': true }, isDone ? '\u2611' : isCurrent ? '\u25B8' : '\u2610'),
      h('span', {}, ...drawClipped(text), h('span', { class: 'visually-hidden' }, isDone ? ' (done)' : '')),
    ),
  ];
  appendItems(list, tasks, draw, (button) => h('li', {}, button));
  return list;
}
