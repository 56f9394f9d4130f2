/** Blocks that agents write in the user's name, alone or inside a message of the user. */
const WRAPPERS = [
  'system-reminder',
  'environment_context',
  'user_instructions',
  'turn_aborted',
  'task-notification',
  'command-name',
  'command-message',
  'command-args',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
].join('|');

const WRAPPED = new RegExp(`<(${WRAPPERS})(?:\\s[^>]*)?>[\\s\\S]*?</\\1>`, 'g');

/** The part of a user text that a person wrote; empty if the agent wrote all of it. */
export function userText(text: string): string {
  return text.replace(WRAPPED, '').trim();
}
