import type { Diff, ToolCallUpsert } from '../../../../shared/stream-contracts.ts';
import { escapeInvisible } from '../../../shared/escape-invisible.ts';

/** Arguments that tell what a call acts on, most specific first. */
const TARGET_ARGUMENTS = [
  'command',
  'cmd',
  'file_path',
  'notebook_path',
  'pattern',
  'path',
  'query',
  'url',
  'description',
  'skill',
  'title',
  'name',
  'prompt',
  'input',
] as const;

/** A line with what the call acts on, such as a command, a path or a pattern. Empty if the arguments do not tell. */
export function summarizeTool(upsert: ToolCallUpsert, projectPath: string): string {
  const { toolArguments: args, diffs } = upsert;
  const tasks = tasksOf(args);
  if (tasks !== undefined) return `${tasks.filter(({ isDone }) => isDone).length} of ${tasks.length} done`;
  if (diffs !== undefined && diffs.length > 0) return summarizeDiffs(diffs, projectPath);
  const target = TARGET_ARGUMENTS.map((name) => asText(args[name])).find((text) => text !== '') ?? firstText(args);
  const place = asText(args.pattern) !== '' ? asText(args.path) : '';
  return oneLine(shorten(target, projectPath) + (place === '' ? '' : ` in ${shorten(place, projectPath)}`));
}

/** What a call is doing, in the words of the agent if it gave a description. */
export function nameTask(upsert: ToolCallUpsert, projectPath: string): string {
  const description = oneLine(asText(upsert.toolArguments.description));
  return description || summarizeTool(upsert, projectPath) || oneLine(upsert.toolName);
}

export interface Task {
  readonly text: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
}

/** The entries of a to-do list or plan, if the arguments contain one. */
export function tasksOf(args: Readonly<Record<string, unknown>>): readonly Task[] | undefined {
  const list = args.todos ?? args.entries;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const tasks: Task[] = [];
  for (const entry of list as readonly unknown[]) {
    if (typeof entry !== 'object' || entry === null || !('content' in entry)) return undefined;
    if (typeof entry.content !== 'string') return undefined;
    const status = 'status' in entry ? entry.status : undefined;
    tasks.push({ text: entry.content, isDone: status === 'completed', isCurrent: status === 'in_progress' });
  }
  return tasks;
}

/** Makes a path inside the project relative to it. */
export function shorten(path: string, projectPath: string): string {
  const root = projectPath.replace(/[\\/]+$/, '');
  if (root === '' || !path.startsWith(root)) return path;
  const rest = path.slice(root.length);
  if (rest === '') return '.';
  return /^[\\/]/.test(rest) ? rest.slice(1) : path;
}

function summarizeDiffs(diffs: readonly Diff[], projectPath: string): string {
  const paths = [...new Set(diffs.map(({ path }) => shorten(path, projectPath)))];
  return oneLine(paths.length > 2 ? `${paths.slice(0, 2).join(', ')} and ${paths.length - 2} more` : paths.join(', '));
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(' ');
  return '';
}

/** Ids are of no use to a reader. */
const ID = /^[\da-f]{8}-[\da-f]{4}-|^[\da-f]{16,}$/i;

function firstText(args: Readonly<Record<string, unknown>>): string {
  const texts = Object.values(args).map(asText);
  return texts.find((text) => text !== '' && !ID.test(text)) ?? '';
}

/** A text on one line, cut off where no line is that long. */
export function oneLine(text: string): string {
  return escapeInvisible(text.slice(0, 400)).replace(/\s+/g, ' ').trim();
}
