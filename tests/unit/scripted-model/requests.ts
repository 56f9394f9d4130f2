/** Requests as the real agents send them, without what the scripted model ignores. */
export const userMessage = (text: string) => ({ role: 'user', content: text });

export const anthropicBody = (messages: readonly unknown[], extra: object = {}) => ({
  model: 'claude-test',
  stream: true,
  messages,
  ...extra,
});

export const userItem = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

export const openAiBody = (input: readonly unknown[], extra: object = {}) => ({
  model: 'gpt-test',
  stream: true,
  input,
  ...extra,
});
