import { createInterface } from 'node:readline';

/** Implements the part of Claude Code's protocol that the fault tests need. */
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

export function speakClaude(onMessage, { answersOnce = false } = {}) {
  let answers = 0;
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.type === 'control_request' && !(answersOnce && answers > 0)) {
      answers += 1;
      const response = { subtype: 'success', request_id: message.request_id, response: { commands: [], models: [] } };
      write({ type: 'control_response', response });
    }
    if (message.type === 'user') onMessage(message.uuid, write);
  });
}

export const take = (turnId, write) => {
  write({ type: 'command_lifecycle', command_uuid: turnId, state: 'queued', uuid: 'l', session_id: 's' });
};

export const finish = (turnId, write) => {
  write({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '',
    stop_reason: 'end_turn',
    usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    user_message_uuids: [turnId],
    uuid: 'r',
    session_id: 's',
  });
};
