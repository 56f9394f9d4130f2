import { isAbsolute, join } from 'node:path';
import type { ToolCall } from '../scenario/scenario.ts';

export interface ToolUse {
  readonly name: string;
  readonly input: unknown;
}

/** Claude Code accepts only absolute paths, so relative ones are resolved against the project directory. */
export function toToolUse(call: ToolCall, cwd: string | undefined): ToolUse {
  switch (call.tool) {
    case 'shell':
      return { name: 'Bash', input: { command: call.command, description: call.description } };
    case 'read':
      return { name: 'Read', input: { file_path: absolute(call.path, cwd) } };
    case 'write':
      return { name: 'Write', input: { file_path: absolute(call.path, cwd), content: call.content } };
    case 'edit':
      return {
        name: 'Edit',
        input: { file_path: absolute(call.path, cwd), old_string: call.oldText, new_string: call.newText },
      };
    case 'delegate':
      return {
        name: 'Agent',
        input: {
          description: call.description,
          prompt: call.prompt,
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
      };
    case 'named':
      return { name: call.name, input: call.input };
  }
}

function absolute(path: string, cwd: string | undefined): string {
  return isAbsolute(path) || cwd === undefined ? path : join(cwd, path);
}
