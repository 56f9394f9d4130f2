import { describe, expect, it } from 'vitest';
import { toProviderError } from '../../../../server/providers/acp/connection/acp-errors.ts';

const naming = { label: 'Codex', signInHint: 'Run "codex login".' };
const rpc = (code: number, message: string, data?: unknown) => Object.assign(new Error(message), { code, data });

describe('an error of an agent', () => {
  it.for([
    [rpc(-32000, 'Authentication required'), 'AGENT_NOT_SIGNED_IN', 'Codex is not signed in. Run "codex login".'],
    [
      rpc(-32603, 'Internal error', { details: 'no rollout found for thread id 1' }),
      'SESSION_NOT_FOUND',
      'no longer has this session',
    ],
    [
      rpc(-32603, 'Internal error', { details: 'invalid session id: x' }),
      'SESSION_NOT_FOUND',
      'no longer has this session',
    ],
    [
      rpc(-32603, 'Internal error', { details: 'No previous sessions found for this project.' }),
      'SESSION_NOT_FOUND',
      'no longer has this session',
    ],
    [rpc(-32002, 'Resource not found'), 'SESSION_NOT_FOUND', 'no longer has this session'],
    [rpc(-32602, 'Session abc does not exist'), 'SESSION_NOT_FOUND', 'no longer has this session'],
    [rpc(-32600, 'Invalid request', { reason: 'archived' }), 'SESSION_NOT_FOUND', 'was archived in Codex'],
    [rpc(-32600, 'Invalid request', { reason: 'thread_active_writer' }), 'SESSION_IN_USE', 'Close it there'],
    [rpc(1001, 'The Codex app-server was killed by SIGKILL.'), 'PROCESS_CRASH', 'was killed by SIGKILL'],
    [
      rpc(-32603, 'Internal error', { details: 'disk full' }),
      'AGENT_PROTOCOL_ERROR',
      'answered with an error: disk full',
    ],
    [rpc(-32601, 'Method not found'), 'AGENT_PROTOCOL_ERROR', 'Method not found'],
    [rpc(-32603, 'Internal error', 'a string'), 'AGENT_PROTOCOL_ERROR', 'a string'],
    [new Error('ACP connection closed'), 'PROCESS_CRASH', 'The Codex process ended unexpectedly.'],
    ['not an error', 'PROCESS_CRASH', 'ended unexpectedly'],
  ] as const)('%s has the code %s and a message', ([error, code, text]) => {
    const failure = toProviderError(error, naming);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(text) });
    expect(toProviderError(failure, naming)).toBe(failure);
  });
});
