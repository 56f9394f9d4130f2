const COMMAND = /<command-name>(.*?)<\/command-name>/s;
const COMMAND_ARGUMENTS = /<command-args>(.*?)<\/command-args>/s;
const COMMAND_OUTPUT = /<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>(.*?)<\/\1>/gs;
const BASH_INPUT = /^<bash-input>(.*)<\/bash-input>$/s;
const SUMMARY = /<summary>(.*?)<\/summary>/s;

/** What a text with the role of the user really is: Claude Code speaks in the user's name for several purposes. */
export type UserText =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'output'; readonly text: string }
  /** Background work came to an end, which begins a turn of its own. */
  | { readonly kind: 'woken'; readonly text: string };

export function readUserText(text: string): UserText {
  const trimmed = text.trim();
  if (!/^[[<]/.test(trimmed)) return { kind: 'said', text };
  if (trimmed.startsWith('[Request interrupted by user')) return { kind: 'interrupted' };
  if (trimmed.startsWith('<task-notification>')) return { kind: 'woken', text: SUMMARY.exec(text)?.[1]?.trim() ?? '' };
  const command = COMMAND.exec(text)?.[1];
  if (command !== undefined) return { kind: 'said', text: asTyped(command, COMMAND_ARGUMENTS.exec(text)?.[1]) };
  const input = BASH_INPUT.exec(trimmed)?.[1];
  if (input !== undefined) return { kind: 'said', text: `! ${input}` };
  const outputs = [...text.matchAll(COMMAND_OUTPUT)];
  if (outputs.length > 0) return { kind: 'output', text: outputs.map((match) => match[2]?.trim() ?? '').join('\n') };
  return { kind: 'said', text };
}

function asTyped(command: string, args = ''): string {
  return `${command.trim()} ${args.trim()}`.trim();
}
