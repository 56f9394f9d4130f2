import type { ToolCall } from '../scenario/scenario.ts';

/** A tool call as an output item, without its ids. */
export type ToolItem =
  | { readonly type: 'function_call'; readonly name: string; readonly namespace?: string; readonly arguments: string }
  | { readonly type: 'custom_tool_call'; readonly name: string; readonly input: string };

export function toToolItem(call: ToolCall): ToolItem {
  switch (call.tool) {
    case 'shell':
      return functionCall('exec_command', { cmd: call.command });
    case 'read':
      return functionCall('exec_command', { cmd: `cat -- ${quote(call.path)}` });
    case 'write':
      return applyPatch([`*** Add File: ${call.path}`, ...prefixed('+', call.content)]);
    case 'edit':
      return applyPatch([
        `*** Update File: ${call.path}`,
        '@@',
        ...prefixed('-', call.oldText),
        ...prefixed('+', call.newText),
      ]);
    case 'delegate':
      return {
        ...functionCall('spawn_agent', {
          task_name: taskName(call.description),
          message: call.prompt,
          fork_turns: 'none',
        }),
        namespace: 'collaboration',
      };
    case 'named':
      return typeof call.input === 'string'
        ? { type: 'custom_tool_call', name: call.name, input: call.input }
        : namedCall(call.name, call.input);
  }
}

function functionCall(name: string, args: unknown) {
  return { type: 'function_call', name, arguments: JSON.stringify(args) } as const;
}

/** `namespace.name` calls a tool inside a namespace, as in `collaboration.wait_agent`. */
function namedCall(name: string, args: unknown): ToolItem {
  const dot = name.indexOf('.');
  return dot < 0
    ? functionCall(name, args)
    : { ...functionCall(name.slice(dot + 1), args), namespace: name.slice(0, dot) };
}

function applyPatch(lines: readonly string[]): ToolItem {
  const input = ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
  return { type: 'custom_tool_call', name: 'apply_patch', input };
}

function prefixed(mark: string, text: string): readonly string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => mark + line);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function taskName(description: string): string {
  return description.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}
