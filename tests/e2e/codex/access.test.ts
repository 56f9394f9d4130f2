import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callTool, delegate, say } from '../../../scripted-model/index.ts';
import type { PermissionDecision, PermissionRequest } from '../../../server/engine/permission.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';

let codex: CodexRig;
let decision: PermissionDecision;
const asked: PermissionRequest[] = [];

beforeAll(async () => {
  const cmd = 'touch asked-for.txt';
  const escalated = { cmd, sandbox_permissions: 'require_escalated', justification: 'to see whether I may' };
  codex = await startCodex({
    env: { INITIAL_AGENT_MODE: 'workspace-write' },
    rules: [
      { when: 'escalate', scenario: [[callTool('exec_command', escalated)], [say('Done.')]] },
      { when: 'delegate', scenario: [[delegate('escalate', 'Escalate it')], [say('It works beside me.')]] },
    ],
    decidePermission: async (request) => {
      asked.push(request);
      return decision;
    },
  });
});

beforeEach(() => {
  asked.length = 0;
});

afterAll(() => codex?.close());

describe('the real Codex that asks for permission', () => {
  it('does not run a denied command; its only option to reject also stops the turn', async () => {
    decision = { allow: false, reason: 'not today' };
    const { watch } = await codex.open();
    const { items, end } = await watch.turn('escalate');
    expect(end).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(asked).toHaveLength(1);
    expect(items.find(({ type }) => type === 'tool_call')).toMatchObject({
      status: 'complete',
      toolOutputIsError: true,
    });
    expect(existsSync(join(codex.projectDir, 'asked-for.txt'))).toBe(false);
  });

  it('runs an allowed command', async () => {
    decision = { allow: true };
    const { watch, sessionId } = await codex.open();
    const { items, end } = await watch.turn('escalate');
    expect(asked).toEqual([
      expect.objectContaining({
        sessionId,
        toolName: 'execute',
        title: 'touch asked-for.txt',
        input: expect.objectContaining({ command: 'touch asked-for.txt' }),
      }),
    ]);
    expect(items.find(({ type }) => type === 'tool_call')).toMatchObject({ status: 'complete', exitCode: 0 });
    expect(end).toMatchObject({ status: 'completed' });
    expect(existsSync(join(codex.projectDir, 'asked-for.txt'))).toBe(true);
  });

  it('engine/background-live codex: asks on behalf of a sub-agent after the turn, in the same session', async () => {
    decision = { allow: true };
    const { watch, sessionId } = await codex.open();
    await watch.turn('delegate it');
    const agent = await watch.shown(
      (item) => item.type === 'tool_call' && item.toolName === 'Agent' && item.status === 'complete',
    );
    expect(agent).toMatchObject({ toolOutput: 'Done.' });
    expect(asked).toEqual([expect.objectContaining({ sessionId, title: 'touch asked-for.txt' })]);
  });
});

describe('the real Codex without an account', () => {
  it('reports how to sign in when a session is created', async () => {
    const signedOut = await startCodex({ isSignedOut: true });
    try {
      await expect(signedOut.open()).rejects.toMatchObject({
        code: 'AGENT_NOT_SIGNED_IN',
        message: 'Codex is not signed in. Run "codex login" in a terminal, or set OPENAI_API_KEY, then try again.',
      });
    } finally {
      await signedOut.close();
    }
  });
});
