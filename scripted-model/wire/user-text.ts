/** Blocks that agents write in the user's name; each may also stand inside a message the user wrote. */
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

/** What a person wrote in a block of user text; empty when all of it is the agent's own. */
export function userText(text: string): string {
  return text.replace(WRAPPED, '').trim();
}
