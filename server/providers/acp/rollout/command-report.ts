import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolReport } from '../translate/session-update.ts';
import type { CommandAction, ItemOf } from './rollout-item.ts';

const TOOL_NAMES: Readonly<Record<string, string>> = {
  unified_exec_startup: 'exec_command',
  unified_exec_interaction: 'write_stdin',
};

/** A command with its result. One that only reads is shown as what it reads. */
export function reportCommand(item: ItemOf<'CommandExecution'>): ToolReport {
  const { id, source, command, parsed_cmd: actions, aggregated_output: output, exit_code } = item;
  const cwd = pathOf(item.cwd);
  const [action] = actions.length === 1 ? actions : [];
  const name = TOOL_NAMES[source ?? ''];
  return {
    toolCallId: id,
    ...(name !== undefined && { name }),
    status: item.status === 'completed' ? 'completed' : 'failed',
    ...(reportReading(action, cwd) ?? reportRun(action?.cmd ?? joinCommand(command), cwd)),
    _meta: { terminal_output: { data: output ?? '' }, terminal_exit: { exit_code } },
  };
}

function reportRun(command: string, cwd: string): Partial<ToolReport> {
  return { kind: 'execute', title: command, rawInput: { command, cwd } };
}

function reportReading(action: CommandAction | undefined, cwd: string): Partial<ToolReport> | undefined {
  const { type, path, query } = action ?? {};
  switch (type) {
    case 'read': {
      const file = isAbsolute(path ?? '') ? (path ?? '') : join(cwd, path ?? '');
      return { kind: 'read', title: `Read file '${file}'`, locations: [{ path: file }] };
    }
    case 'list_files':
      return { kind: 'read', title: path ? `List files in '${path}'` : 'List files' };
    case 'search':
      return { kind: 'search', title: searchTitle(query ?? '', path ?? '') };
    default:
      return undefined;
  }
}

function searchTitle(query: string, path: string): string {
  const what = query === '' ? '' : ` for '${query}'`;
  if (path === '') return `Search${what}`;
  return query === '' ? `Search in '${path}'` : `Search${what} in ${path}`;
}

/** As one line for a shell. */
export function joinCommand(words: readonly string[]): string {
  return words
    .map((word) => {
      if (/^[\w@%+=:,./-]+$/.test(word)) return word;
      return word.includes("'") ? `"${word.replaceAll(/["$`\\]/g, '\\$&')}"` : `'${word}'`;
    })
    .join(' ');
}

/** Codex stores some paths as addresses. */
export function pathOf(pathOrUrl: string): string {
  if (!pathOrUrl.startsWith('file://')) return pathOrUrl;
  try {
    return fileURLToPath(pathOrUrl);
  } catch {
    return pathOrUrl;
  }
}
