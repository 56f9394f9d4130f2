import { isRecord, type ToolReport } from '../translate/session-update.ts';
import { joinCommand } from './command-report.ts';

const RUNS: ReadonlySet<string> = new Set(['exec_command', 'shell', 'shell_command', 'local_shell', 'container.exec']);

/** A call as it was stored before Codex stored what it shows: the tool's name and input as the model gave them. */
export function reportOldCall(callId: string, name: string, input: unknown): ToolReport {
  const command = RUNS.has(name) ? commandOf(input) : undefined;
  const kind = command === undefined ? (name === 'apply_patch' ? 'edit' : 'other') : 'execute';
  return {
    toolCallId: callId,
    name,
    kind,
    status: 'in_progress',
    rawInput: command === undefined ? input : { command },
  };
}

export function reportOldResult(callId: string, output: string): ToolReport {
  const { text, exitCode } = readOutput(output);
  return {
    toolCallId: callId,
    status: exitCode === undefined || exitCode === 0 ? 'completed' : 'failed',
    content: text === '' ? [] : [{ type: 'content', content: text }],
    ...(exitCode !== undefined && { rawOutput: { exit_code: exitCode } }),
  };
}

function commandOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const { cmd, command } = input;
  if (typeof cmd === 'string') return cmd;
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return undefined;
  const [shell = '', flag = '', script] = command;
  return /(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(flag) && script !== undefined ? script : joinCommand(command);
}

/** The model was told the exit code together with the output, in one of two forms. */
function readOutput(output: string): { readonly text: string; readonly exitCode?: number } {
  const [, code] = /^(?:.*\n)*?Process exited with code (-?\d+)\n/.exec(output.slice(0, 400)) ?? [];
  const at = output.indexOf('\nOutput:\n');
  if (code !== undefined && at !== -1) return { text: output.slice(at + '\nOutput:\n'.length), exitCode: Number(code) };
  const wrapped = parseRecord(output);
  if (typeof wrapped?.output !== 'string') return { text: output };
  const exitCode = isRecord(wrapped.metadata) ? wrapped.metadata.exit_code : undefined;
  return { text: wrapped.output, ...(typeof exitCode === 'number' && { exitCode }) };
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
