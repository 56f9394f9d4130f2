import { z } from 'zod';
import type { Diff } from '../../../../shared/stream-contracts.ts';
import { contentText } from './content-blocks.ts';

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

/** What Claude Code's own tools answer, such as TaskStop and SendMessage. */
const answerSchema = z.union([
  z.looseObject({ message: z.string(), task_id: z.string() }),
  z.looseObject({ message: z.string(), success: z.boolean() }),
]);

/** The details of a call that was interrupted. */
export const REJECTED = 'User rejected tool use';

const EXIT_CODE = /^Exit code (\d+)\b/;
/** The report of a sub-agent to a sub-agent, which comes without details. */
const HAND_BACK = /\[Subagent hand-back\] [^\n]*The report follows:\n(.*)\nagentId: \w+ \(/s;
const TOOL_USE_ERROR = /^<tool_use_error>(.*)<\/tool_use_error>$/s;

/** In place of what Claude Code then tells the model, which is no news to the user. */
const STOPPED = 'Stopped by the user.';

/** `details` is the tool's own result, whose shape depends on the tool; what the model was given is `content`. */
export function readToolResult(content: unknown, isError: boolean, details: unknown): ToolResultFacts {
  const output =
    details === REJECTED ? STOPPED : (reportOf(details) ?? answerOf(details) ?? unwrap(contentText(content)));
  const exitCode = exitCodeOf(output, isError, details);
  const diffs = diffsOfResult(details);
  return { output, ...(exitCode !== undefined && { exitCode }), ...(diffs !== undefined && { diffs }) };
}

function unwrap(text: string): string {
  return TOOL_USE_ERROR.exec(text)?.[1] ?? HAND_BACK.exec(text)?.[1]?.replace(/^ {2}/gm, '') ?? text;
}

function answerOf(details: unknown): string | undefined {
  return answerSchema.safeParse(details).data?.message;
}

/** A sub-agent's report without the words that Claude Code puts around it for the model. */
function reportOf(details: unknown): string | undefined {
  const { data } = reportSchema.safeParse(details);
  if (data === undefined) return undefined;
  const { content, harnessNoteCount: notes, harnessTailCount: tail } = data;
  return contentText(content.slice(notes, content.length - tail));
}

function exitCodeOf(output: string, isError: boolean, details: unknown): number | undefined {
  if (isError) {
    const code = EXIT_CODE.exec(output)?.[1];
    return code === undefined ? undefined : Number(code);
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

/** The lines of a hunk as they are on one side: all but those that only the other side has. */
function side(lines: readonly string[], others: '+' | '-'): string {
  return lines
    .filter((line) => !line.startsWith(others) && !line.startsWith('\\'))
    .map((line) => line.slice(1))
    .join('\n');
}
