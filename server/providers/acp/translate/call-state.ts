import { ownValue } from '../../../../shared/own-value.ts';
import type { Diff, ToolKind } from '../../../../shared/stream-contracts.ts';
import { frozenCopy } from '../../../streaming/frozen-copy.ts';
import { isRecord, type ToolContent, type ToolReport } from './session-update.ts';

/** What is known of a tool call so far. */
export interface CallState {
  readonly itemId: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly toolKind: ToolKind;
  readonly diffs: Diff[] | undefined;
  /** Output that was streamed. */
  readonly streamed: string;
  readonly content: readonly ToolContent[];
  readonly rawOutput: unknown;
  readonly exitCode: number | undefined;
  readonly status: 'open' | 'completed' | 'failed';
  /** The result was emitted. Later reports change nothing. */
  readonly isDone: boolean;
  /** It goes on beside the conversation. The id of its task, by which it can be stopped. */
  readonly taskId: string | undefined;
  /** Someone asked for its end. */
  readonly isStopped: boolean;
}

/** The output of a terminal that the agent opened here, by its id. */
export type ReadTerminal = (
  terminalId: string,
) => { readonly output: string; readonly exitCode: number | undefined } | undefined;

/** Only the end of a longer output is kept, because errors are printed last. */
export const MAX_OUTPUT_LENGTH = 1024 * 1024;
/** What is shown of it while the command runs in the background. */
const TAIL_LENGTH = 64 * 1024;

export function newCall(itemId: string, report: ToolReport): CallState {
  const name = nameOf(report);
  return mergeReport(
    {
      itemId,
      name,
      arguments: argumentsWithoutInput(report, name),
      toolKind: 'other',
      diffs: undefined,
      streamed: '',
      content: [],
      rawOutput: undefined,
      exitCode: undefined,
      status: 'open',
      isDone: false,
      taskId: undefined,
      isStopped: false,
    },
    report,
  );
}

/** Fields that a report leaves out stay as they are. */
export function mergeReport(call: CallState, report: ToolReport): CallState {
  const meta = report._meta;
  const content = report.content ?? call.content;
  return {
    ...call,
    arguments: argumentsFromInput(report.rawInput) ?? call.arguments,
    toolKind: report.kind == null ? call.toolKind : toToolKind(report.kind),
    diffs: diffsOf(content) ?? call.diffs,
    streamed: append(call.streamed, meta?.terminal_output_delta?.data ?? meta?.terminal_output?.data ?? ''),
    content,
    rawOutput: report.rawOutput ?? call.rawOutput,
    exitCode: meta?.terminal_exit?.exit_code ?? exitCodeOf(report.rawOutput) ?? call.exitCode,
    status: report.status === 'completed' || report.status === 'failed' ? report.status : call.status,
  };
}

export function outputOf(call: CallState, readTerminal: ReadTerminal): { output: string; exitCode?: number } {
  const terminals = call.content.flatMap((item) =>
    item.type === 'terminal' ? [readTerminal(item.terminalId)].filter((found) => found !== undefined) : [],
  );
  const exitCode = call.exitCode ?? terminals.at(-1)?.exitCode;
  const texts = call.content.flatMap((item) => (item.type === 'content' ? [item.content] : []));
  const output =
    call.streamed ||
    [...terminals.map((terminal) => terminal.output), ...texts].join('\n') ||
    textOfRawOutput(call.rawOutput);
  return { output: lastPart(output), ...(exitCode !== undefined && { exitCode }) };
}

/** The end of what a call has said so far, without half a character at its beginning. */
export function outputTail({ streamed }: CallState): string {
  return streamed.slice(-TAIL_LENGTH).replace(/^[\uDC00-\uDFFF]/, '');
}

/** Lets the text grow to twice the limit before it is cut, so that not every piece copies all of it. */
function append(output: string, piece: string): string {
  const longer = output + piece;
  return longer.length > 2 * MAX_OUTPUT_LENGTH ? lastPart(longer) : longer;
}

function lastPart(output: string): string {
  if (output.length <= MAX_OUTPUT_LENGTH) return output;
  return `[The beginning of the output is not shown.]\n${output.slice(-MAX_OUTPUT_LENGTH)}`;
}

/** Kinds of the protocol without a counterpart here are mapped to the nearest one. */
const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  search: 'search',
  execute: 'execute',
  think: 'think',
  fetch: 'fetch',
};

function toToolKind(kind: string): ToolKind {
  return ownValue(TOOL_KINDS, kind) ?? 'other';
}

/** The tool's name, else its title, else its kind. A title that only repeats the command is skipped. */
function nameOf({ name, title, kind, rawInput }: ToolReport): string {
  if (name) return name;
  if (title && !repeatsCommand(title, rawInput)) return title;
  return kind ?? 'tool';
}

function repeatsCommand(title: string, rawInput: unknown): boolean {
  const command = isRecord(rawInput) ? rawInput.command : undefined;
  return typeof command === 'string' && command.includes(title);
}

function argumentsFromInput(rawInput: unknown): Record<string, unknown> | undefined {
  if (rawInput === undefined || rawInput === null) return undefined;
  return isRecord(rawInput) ? rawInput : { input: rawInput };
}

/** For a call without input: its title and locations. */
function argumentsWithoutInput({ title, locations }: ToolReport, name: string): Record<string, unknown> {
  const [first, ...others] = (locations ?? []).map(({ path }) => path);
  return {
    ...(title && title !== name && { title }),
    ...(first !== undefined && (others.length === 0 ? { path: first } : { paths: [first, ...others] })),
  };
}

function diffsOf(content: readonly ToolContent[]): Diff[] | undefined {
  const diffs = content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path, oldText: item.oldText ?? null, newText: item.newText }] : [],
  );
  return diffs.length === 0 ? undefined : diffs;
}

function exitCodeOf(rawOutput: unknown): number | undefined {
  const code = isRecord(rawOutput) ? rawOutput.exit_code : undefined;
  return typeof code === 'number' && Number.isInteger(code) ? code : undefined;
}

/** An exit code alone is not output. */
function textOfRawOutput(rawOutput: unknown): string {
  if (typeof rawOutput === 'string') return rawOutput;
  if (!isRecord(rawOutput) && !Array.isArray(rawOutput)) return '';
  const isExitCodeOnly = Object.keys(rawOutput).every((key) => key === 'exit_code');
  return isExitCodeOnly ? '' : JSON.stringify(frozenCopy(rawOutput), null, 2);
}
