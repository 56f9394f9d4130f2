import { allTagTexts, tagText } from './tags.ts';

const COMMAND_OUTPUTS = ['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr'];
const BASH_INPUT = /^<bash-input>(.*)<\/bash-input>$/s;

/** What a text with the role `user` is. Claude Code uses this role for several kinds of text. */
export type UserText =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'output'; readonly text: string }
  /** Background work ended, which starts a turn of the agent's own. */
  | { readonly kind: 'notification'; readonly text: string };

export function readUserText(text: string): UserText {
  const trimmed = text.trim();
  if (!/^[[<]/.test(trimmed)) return { kind: 'message', text };
  if (trimmed.startsWith('[Request interrupted by user')) return { kind: 'interrupted' };
  if (trimmed.startsWith('<task-notification>'))
    return { kind: 'notification', text: tagText(text, 'summary')?.trim() ?? '' };
  const command = tagText(text, 'command-name');
  if (command !== undefined) return { kind: 'message', text: asTyped(command, tagText(text, 'command-args')) };
  const input = BASH_INPUT.exec(trimmed)?.[1];
  if (input !== undefined) return { kind: 'message', text: `! ${input}` };
  const outputs = allTagTexts(text, COMMAND_OUTPUTS);
  if (outputs.length > 0) return { kind: 'output', text: outputs.map((output) => output.trim()).join('\n') };
  return { kind: 'message', text };
}

function asTyped(command: string, args = ''): string {
  return `${command.trim()} ${args.trim()}`.trim();
}
