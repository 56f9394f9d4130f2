import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { agentMessage, notice, thinking, toolCall, userMessage } from '../../fixtures/conversation/upserts.ts';
import type { Told } from '../browser/told.ts';

/** A text in every part of a conversation that shows untrusted text. */
export function everywhere(text: string, number: number): UpsertObject[] {
  const id = `t${number}`;
  const failed = { toolOutputIsError: true, toolOutput: text } as const;
  const diff = { path: text, oldText: text, newText: `${text}\n${text}` };
  return [
    userMessage(`${id}:user`, text),
    agentMessage(`${id}:0:0`, text),
    thinking(`${id}:0:1`, text, { status: 'update' }),
    notice(`${id}:0:2`, text),
    toolCall(`${id}:1:0`, text || 'tool', { command: text, description: text }, { ...failed, toolKind: 'execute' }),
    toolCall(`${id}:1:1`, 'Edit', {}, { ...failed, diffs: [diff] }),
    toolCall(`${id}:1:2`, 'Agent', { [text || 'key']: text }, { ...failed, toolKind: 'think' }),
    agentMessage(`${id}:1:3`, text, {
      status: 'error',
      errorCode: 'MODEL_ERROR',
      errorMessage: text,
      parentItemId: `${id}:1:2`,
    }),
    toolCall(`${id}:1:4`, 'TodoWrite', { todos: [{ content: text, status: 'pending' }] }, failed),
    toolCall(`${id}:1:5`, `mcp__${text}`, { path: text }, { toolOutput: text, toolKind: 'think' }),
  ];
}

/** The same text around the conversation: title, agent, directory, errors and states. */
export const sessionMessages = (text: string): Told[] => [
  { type: 'session:info', title: text, agentLabel: text, cliType: 'claude-code', projectPath: text, demo: false },
  { type: 'agent:status', status: 'disconnected', message: text },
  { type: 'session:error', error: { code: 'INTERNAL_ERROR', message: text } },
  { type: 'session:stop-failed', error: { code: 'INTERNAL_ERROR', message: text } },
];
