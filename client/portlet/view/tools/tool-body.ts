import type { ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { h } from '../../../shared/dom.ts';
import { createMarkdownView } from '../../../shared/markdown/markdown-view.ts';
import { readable } from '../../../shared/escape-invisible.ts';
import { drawArguments } from './arguments-view.ts';
import { drawDiff } from './diff-view.ts';
import { drawOutput } from './output-view.ts';
import { drawTasks } from './task-list.ts';
import { isFailed } from './tool-state.ts';
import { tasksOf } from './tool-summary.ts';

export interface ToolBodyContext {
  readonly projectPath: string;
  readonly onSettled: (block: HTMLElement) => void;
}

/** What a tool call was given and what came of it, in the form that fits the tool. */
export function drawToolBody(upsert: ToolCallUpsert, context: ToolBodyContext): Node[] {
  return [...drawGiven(upsert, context), ...drawResult(upsert, context)].filter((part) => part !== null);
}

function drawGiven(upsert: ToolCallUpsert, { projectPath }: ToolBodyContext): (Node | null)[] {
  const { toolArguments: args, toolKind, diffs } = upsert;
  const tasks = tasksOf(args);
  if (tasks !== undefined) return [drawTasks(tasks)];
  if (diffs !== undefined && diffs.length > 0) return diffs.map((diff) => drawDiff(diff, projectPath));
  if (toolKind !== 'execute') return [drawArguments(args)];
  const { command: longCommand, cmd, description, cwd, ...rest } = args;
  const others = cwd === projectPath ? rest : { ...rest, cwd };
  const command = longCommand ?? cmd;
  if (command === undefined) return [drawArguments(args)];
  const text = Array.isArray(command) ? command.join(' ') : String(command);
  return [
    typeof description === 'string' ? h('p', { class: 'description' }, readable(description)) : null,
    h('pre', { class: 'command', tabindex: '0' }, readable(text)),
    drawArguments(others),
  ];
}

function drawResult(upsert: ToolCallUpsert, { onSettled }: ToolBodyContext): (Node | null)[] {
  const { toolOutput: output, toolKind, exitCode, diffs } = upsert;
  const exit =
    exitCode === undefined
      ? null
      : h('p', { class: exitCode === 0 ? 'exit' : 'exit is-failed' }, `exit code ${exitCode}`);
  const parts: (Node | null)[] = [exit];
  const isToldByDiff = diffs !== undefined && diffs.length > 0 && !isFailed(upsert);
  const isTasks = tasksOf(upsert.toolArguments) !== undefined && !isFailed(upsert);
  if (output === undefined || isToldByDiff || isTasks) return parts;
  if (output.trim() === '') return [h('p', { class: 'no-output' }, 'no output'), exit];
  if (toolKind === 'think' && !isFailed(upsert)) {
    const markdown = createMarkdownView(onSettled);
    markdown.update(output, true);
    return [markdown.element];
  }
  // Some agents begin the output with the code that has a line of its own here.
  const words = exitCode === undefined ? output : output.replace(new RegExp(`^Exit code ${exitCode}\\n`), '');
  return [drawOutput(words, { end: toolKind === 'execute' || isFailed(upsert) ? 'last' : 'first' }), exit];
}
