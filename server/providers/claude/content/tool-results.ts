import { z } from 'zod';
import type { Diff } from '../../../../shared/stream-contracts.ts';
import { contentText } from './content-blocks.ts';
import { toSafeNumber } from './tags.ts';

export interface ToolResultFacts {
  readonly output: string;
  readonly exitCode?: number;
  readonly diffs?: Diff[];
}

const shellSchema = z.looseObject({
  stdout: z.string(),
  stderr: z.string(),
  interrupted: z.boolean().optional(),
  backgroundTaskId: z.string().optional(),
});
const hunkSchema = z.looseObject({ lines: z.array(z.string()) });
const fileChangeSchema = z.looseObject({
  filePath: z.string(),
  structuredPatch: z.array(hunkSchema),
  originalFile: z.string().nullable().optional(),
  content: z.string().optional(),
});
const reportSchema = z.looseObject({
  agentId: z.string(),
  content: z.array(z.unknown()),
  harnessNoteCount: z.number().int().nonnegative().default(0),
  harnessTailCount: z.number().int().nonnegative().default(0),
});

/** Results of Claude Code's own tools, such as TaskStop and SendMessage. */
const answerSchema = z.union([
  z.looseObject({ message: z.string(), task_id: z.string() }),
  z.looseObject({ message: z.string(), success: z.boolean() }),
]);

/** The `details` of an interrupted call. */
export const REJECTED = 'User rejected tool use';

const EXIT_CODE = /^Exit code (\d+)\b/;
const TOOL_USE_ERROR = /^<tool_use_error>(.*)<\/tool_use_error>$/s;

/** Shown instead of Claude Code's instruction to the model. */
const STOPPED = 'Stopped by the user.';

/** `content` is what the model gets; `details` is the structured result, whose shape depends on the tool. */
export function readToolResult(content: unknown, isError: boolean, details: unknown): ToolResultFacts {
  const output =
    details === REJECTED ? STOPPED : (reportOf(details) ?? answerOf(details) ?? unwrap(contentText(content)));
  const exitCode = exitCodeOf(output, isError, details);
  const diffs = diffsOfResult(details);
  return { output, ...(exitCode !== undefined && { exitCode }), ...(diffs !== undefined && { diffs }) };
}

function unwrap(text: string): string {
  return TOOL_USE_ERROR.exec(text)?.[1] ?? handedBack(text)?.replace(/^ {2}/gm, '') ?? text;
}

const REPORT_FOLLOWS = 'The report follows:\n';
const REPORT_ENDS = /\nagentId: \w{1,64} \(/g;

/** The report of a nested sub-agent, which comes without `details`: between two lines that Claude Code adds. */
function handedBack(text: string): string | undefined {
  for (let at = text.indexOf(REPORT_FOLLOWS); at !== -1; at = text.indexOf(REPORT_FOLLOWS, at + 1)) {
    const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
    if (!line.includes('[Subagent hand-back] ')) continue;
    const report = text.slice(at + REPORT_FOLLOWS.length);
    const end = [...report.matchAll(REPORT_ENDS)].at(-1)?.index;
    return end === undefined ? undefined : report.slice(0, end);
  }
  return undefined;
}

function answerOf(details: unknown): string | undefined {
  return answerSchema.safeParse(details).data?.message;
}

/** The report of a sub-agent without the notes for the model that Claude Code adds. */
function reportOf(details: unknown): string | undefined {
  const { data } = reportSchema.safeParse(details);
  if (data === undefined) return undefined;
  const { content, harnessNoteCount: notes, harnessTailCount: tail } = data;
  return contentText(content.slice(notes, content.length - tail));
}

function exitCodeOf(output: string, isError: boolean, details: unknown): number | undefined {
  if (isError) {
    return toSafeNumber(EXIT_CODE.exec(output)?.[1]);
  }
  const { data } = shellSchema.safeParse(details);
  return data === undefined || data.interrupted || data.backgroundTaskId !== undefined ? undefined : 0;
}

function diffsOfResult(details: unknown): Diff[] | undefined {
  const { data } = fileChangeSchema.safeParse(details);
  if (data === undefined) return undefined;
  const { filePath: path, structuredPatch: hunks, originalFile, content } = data;
  if (hunks.length > 0)
    return hunks.map(({ lines }) => ({ path, oldText: side(lines, '+'), newText: side(lines, '-') }));
  if (content === undefined) return undefined;
  return [{ path, oldText: originalFile ?? null, newText: content }];
}

/** One side of a hunk: all lines except those of the other side. */
function side(lines: readonly string[], others: '+' | '-'): string {
  return lines
    .filter((line) => !line.startsWith(others) && !line.startsWith('\\'))
    .map((line) => line.slice(1))
    .join('\n');
}
