import { z } from 'zod';
import { ownValue } from '../../../../shared/own-value.ts';
import type { Diff, ToolKind } from '../../../../shared/stream-contracts.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  KillBash: 'execute',
  PowerShell: 'execute',
  Monitor: 'execute',
  Read: 'read',
  NotebookRead: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Grep: 'search',
  Glob: 'search',
  LS: 'search',
  LSP: 'search',
  ToolSearch: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  web_search: 'fetch',
  web_fetch: 'fetch',
  Task: 'think',
  Agent: 'think',
  SendMessage: 'think',
  TaskStop: 'execute',
  TodoWrite: 'think',
  EnterPlanMode: 'think',
  ExitPlanMode: 'think',
};

const DELEGATING = new Set(['Task', 'Agent', 'SendMessage']);

export const toolKindOf = (name: string): ToolKind => ownValue(KINDS, name) ?? 'other';

/** Whether a sub-agent may work under this call. SendMessage can resume one that has ended. */
export const delegates = (name: string): boolean => DELEGATING.has(name);

const replacementSchema = z.looseObject({ old_string: z.string(), new_string: z.string() });
const editSchema = replacementSchema.extend({ file_path: z.string() });
const multiEditSchema = z.looseObject({ file_path: z.string(), edits: z.array(replacementSchema) });

/** The changes that a call will make, if its arguments contain them. For a written file only the result does. */
export function diffsOfArguments(name: string, input: unknown): Diff[] | undefined {
  if (name === 'Edit') {
    const { data } = editSchema.safeParse(input);
    return data && [toDiff(data.file_path, data)];
  }
  if (name === 'MultiEdit') {
    const { data } = multiEditSchema.safeParse(input);
    return data?.edits.map((edit) => toDiff(data.file_path, edit));
  }
  return undefined;
}

function toDiff(path: string, edit: z.infer<typeof replacementSchema>): Diff {
  return { path, oldText: edit.old_string, newText: edit.new_string };
}
