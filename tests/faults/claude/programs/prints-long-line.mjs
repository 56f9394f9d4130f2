import { finish, speakClaude, take } from './speak-claude.mjs';

speakClaude((turnId, write) => {
  take(turnId, write);
  const text = 'x'.repeat(40 * 1024 * 1024);
  write({
    type: 'assistant',
    parent_tool_use_id: null,
    user_message_uuids: [turnId],
    message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] },
  });
  finish(turnId, write);
});
