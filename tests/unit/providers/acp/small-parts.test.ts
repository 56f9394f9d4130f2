import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toProviderError } from '../../../../server/providers/acp/acp-errors.ts';
import { answerPermission } from '../../../../server/providers/acp/permission-answer.ts';
import { openSessionAliases } from '../../../../server/providers/acp/session-aliases.ts';
import { createWaitingLines } from '../../../../server/providers/acp/waiting-lines.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const words = { label: 'Codex', signInHint: 'Run "codex login".' };
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
  ] as const)('%s is %s in words', ([error, code, text]) => {
    const failure = toProviderError(error, words);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(text) });
    expect(toProviderError(failure, words)).toBe(failure);
  });
});

describe('an answer to a question of leave', () => {
  const option = (kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always') => ({ optionId: kind, kind });
  const all = [option('reject_always'), option('reject_once'), option('allow_always'), option('allow_once')];

  it.for([
    ['allow once before always', true, all, 'allow_once'],
    ['allow always where there is no once', true, all.slice(0, 3), 'allow_always'],
    ['reject once before always', false, all, 'reject_once'],
    ['reject always where there is no once', false, [option('reject_always')], 'reject_always'],
  ] as const)('is an option of the agent: %s', ([, allow, options, optionId]) => {
    const decision = allow ? { allow } : { allow, reason: 'no' };
    expect(answerPermission(decision, options)).toEqual({ outcome: 'selected', optionId });
  });

  it.for([
    ['nobody wants it any more', undefined, all],
    ['the agent offers no way to reject', { allow: false, reason: 'no' } as const, [option('allow_once')]],
    ['the agent offers no way to allow', { allow: true } as const, [option('reject_once')]],
  ] as const)('is "cancelled" when %s', ([, decision, options]) => {
    expect(answerPermission(decision, options)).toEqual({ outcome: 'cancelled' });
  });
});

describe('new names of sessions', () => {
  it('are there after a restart', async () => {
    const dataDir = join(scratchDirectory(), 'data');
    const before = await openSessionAliases(dataDir);
    expect(before.find('codex:a')).toBeUndefined();
    await before.record('codex:a', 'b');
    const after = await openSessionAliases(dataDir);
    expect(after.find('codex:a')).toBe('b');
    await Promise.all([before.close(), after.close()]);
  });
});

describe('waiting lines', () => {
  it('keep the order within a line and do not hold up another', async () => {
    const inLine = createWaitingLines();
    const done: string[] = [];
    let release = () => {};
    const first = inLine('a', () =>
      new Promise<void>((resolve) => (release = resolve)).then(() => void done.push('a1')),
    );
    const second = inLine('a', async () => void done.push('a2'));
    await inLine('b', async () => void done.push('b1'));
    release();
    await Promise.all([first, second]);
    expect(done).toEqual(['b1', 'a1', 'a2']);
  });

  it('go on after a failure', async () => {
    const inLine = createWaitingLines();
    const failed = inLine('a', () => Promise.reject(new Error('no')));
    const next = inLine('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
