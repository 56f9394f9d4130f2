import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { CliProvider } from '../../../../server/engine/provider-types.ts';
import { createAcpProvider } from '../../../../server/providers/acp/acp-provider.ts';
import { createMemoryAliases } from '../../../../server/providers/acp/session/session-aliases.ts';
import { type AcpRigOptions, createAcpRig, fixtureAgent, watchSession } from '../../../support/agents/acp-rig.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

async function open(options: Partial<AcpRigOptions> = {}, ...args: string[]) {
  const rig = createAcpRig({ agent: fixtureAgent('talker', ...args), ...options });
  const created = await rig.provider.createSession({ projectDir: rig.projectDir });
  return { ...rig, ...created, watch: watchSession(rig.provider, created.sessionId) };
}

describe('the ACP provider', { timeout: 30_000 }, () => {
  it('stream/TC-2.1c satisfies the provider interface', () => {
    expectTypeOf(createAcpProvider).returns.toEqualTypeOf<CliProvider>();
    const { provider } = createAcpRig({ agent: fixtureAgent('talker') });
    expect(Object.keys(provider)).toEqual(
      expect.arrayContaining(['createSession', 'sendMessage', 'loadSession', 'cancelTurn', 'killSession', 'isAlive']),
    );
  });

  it('stream/TC-4.1a creates a session by session/new', async () => {
    const { sessionId, cliType, history, provider } = await open();
    expect(sessionId).toMatch(/^fixture:s-\d+-1$/);
    expect({ cliType, history }).toEqual({ cliType: 'fixture', history: [] });
    expect(provider.isAlive(sessionId)).toBe(true);
  });

  it('stream/TC-4.1b loads a session by session/load, and its history has the same ids at every load', async () => {
    const agent = fixtureAgent('talker', `--memory=${scratchDirectory()}`);
    const before = await open({ agent });
    await before.watch.turn('first');
    await before.watch.turn('second');
    await before.provider.close();

    const { provider, projectDir } = createAcpRig({ agent });
    const { history } = await provider.loadSession(before.sessionId, { projectDir });
    expect(history).toMatchObject([
      { type: 'message', origin: 'user', content: 'first', status: 'complete' },
      { type: 'message', origin: 'agent', content: 'You said: first', status: 'complete' },
      { type: 'message', origin: 'user', content: 'second', status: 'complete' },
      { type: 'message', origin: 'agent', content: 'You said: second', status: 'complete' },
    ]);
    const nativeId = before.sessionId.slice('fixture:'.length);
    expect(history.map(({ itemId }) => itemId)).toEqual([
      `${nativeId}:t1:user`,
      `${nativeId}:t1:0:0`,
      `${nativeId}:t2:user`,
      `${nativeId}:t2:0:0`,
    ]);
    const again = await provider.loadSession(before.sessionId, { projectDir });
    expect(again.history.map(({ itemId }) => itemId)).toEqual(history.map(({ itemId }) => itemId));
  });

  it('stream/TC-4.1c resolves a send when the message is bound to its turn, not when the turn ends', async () => {
    const { provider, sessionId, watch } = await open();
    expect(await provider.sendMessage(sessionId, 'wait', { turnId: 'mine' })).toEqual({ turnId: 'mine' });
    expect(watch.upserts[0]).toMatchObject({
      itemId: 'mine:user',
      origin: 'user',
      content: 'wait',
      status: 'complete',
    });
    expect(watch.turns).toEqual([
      { type: 'turn_started', turnId: 'mine', sessionId, modelId: 'talker-1', providerId: 'fixture' },
    ]);
    await provider.cancelTurn(sessionId);
    expect(await watch.ended('mine')).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });

  it('stream/TC-4.2a shows agent_message_chunk as a message', async () => {
    const { watch } = await open();
    const { end, items } = await watch.turn('hello');
    expect(items[1]).toMatchObject({
      type: 'message',
      origin: 'agent',
      status: 'complete',
      content: 'You said: hello',
    });
    expect(end).toMatchObject({
      status: 'completed',
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 5 },
    });
  });

  it('stream/TC-4.2b stream/TC-4.2c shows tool_call as created and tool_call_update as its result', async () => {
    const { watch } = await open();
    await watch.turn('tool');
    const call = {
      type: 'tool_call',
      toolName: 'Read',
      callId: 'call-1',
      toolKind: 'read',
      toolArguments: { path: 'a.txt' },
    };
    expect(watch.upserts.filter(({ type }) => type === 'tool_call')).toMatchObject([
      { ...call, status: 'create' },
      { ...call, status: 'complete', toolOutput: 'the file', toolOutputIsError: false },
    ]);
  });

  it('is not affected by a listener that throws', async () => {
    const { provider, sessionId, watch, problems } = await open();
    provider.onUpsert(sessionId, () => {
      throw new Error('a bad listener');
    });
    expect((await watch.turn('hello')).text).toBe('You said: hello');
    expect(problems).toContain('A listener of Fixture failed.');
  });

  it('refuses to send to a session that is not open', async () => {
    const { provider } = await open();
    await expect(provider.sendMessage('fixture:unknown', 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('refuses a project directory that does not exist', async () => {
    const { provider, projectDir } = await open();
    await expect(provider.createSession({ projectDir: join(projectDir, 'gone') })).rejects.toMatchObject({
      code: 'PROJECT_PATH_INVALID',
    });
  });

  it('does nothing when a session that is not open is cancelled or killed', async () => {
    const { provider } = await open();
    await provider.cancelTurn('fixture:unknown');
    await provider.killSession('fixture:unknown');
  });

  it('can load a session again that was killed', async () => {
    const { provider, sessionId, watch, projectDir } = await open({}, `--memory=${scratchDirectory()}`, '--close');
    await watch.turn('hello');
    const { turnId } = await provider.sendMessage(sessionId, 'wait');
    await provider.killSession(sessionId);
    expect(await watch.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(provider.isAlive(sessionId)).toBe(false);
    await provider.loadSession(sessionId, { projectDir });
    expect((await watch.turn('context')).text).toBe('I know 4 messages.');
  });

  describe('after the process has exited', () => {
    it('ends open and waiting turns with PROCESS_CRASH', async () => {
      const { provider, sessionId, watch } = await open();
      const pid = Number((await watch.turn('pid')).text);
      const { turnId: open1 } = await provider.sendMessage(sessionId, 'wait');
      const { turnId: waiting } = await provider.sendMessage(sessionId, 'me too');
      await watch.shown(
        ({ turnId, type, itemId }) => turnId === open1 && type === 'message' && !itemId.endsWith('user'),
      );
      process.kill(pid, 'SIGKILL');
      for (const turnId of [open1, waiting]) {
        expect(await watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
      }
      expect(watch.items().at(-1)).toMatchObject({ status: 'error', errorCode: 'PROCESS_CRASH', content: 'waiting ' });
    });

    it.for([['--resume'], []])('continues a session with its context on the next send (%s)', async (flags) => {
      const { watch } = await open({}, `--memory=${scratchDirectory()}`, ...flags);
      await watch.turn('hello');
      expect((await watch.turn('die')).end).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
      const { items, text } = await watch.turn('context');
      expect(text).toBe('I know 4 messages.');
      expect(items.map(({ type }) => type)).toEqual(['message', 'message']);
    });

    it('creates an unused session anew under the same id', async () => {
      const aliases = createMemoryAliases();
      const { provider, watch, sessionId, projectDir } = await open({ aliases }, `--memory=${scratchDirectory()}`);
      const other = await provider.createSession({ projectDir });
      await watchSession(provider, other.sessionId).turn('die');
      expect((await watch.turn('context')).text).toBe('I know 1 messages.');
      expect(aliases.find(sessionId)).toMatch(/^s-\d+-1$/);

      await provider.killSession(sessionId);
      const { history } = await provider.loadSession(sessionId, { projectDir });
      expect(history[0]).toMatchObject({ sessionId, content: 'context' });
    });

    it('never continues a used session without its context', async () => {
      const { watch, provider, sessionId } = await open();
      await watch.turn('hello');
      await watch.turn('die');
      await expect(provider.sendMessage(sessionId, 'again')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });
  });

  it('rejects the load of a session that the agent does not know', async () => {
    const { provider, projectDir } = await open({}, `--memory=${scratchDirectory()}`);
    await expect(provider.loadSession('fixture:gone', { projectDir })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: 'Fixture no longer has this session. Its transcript may have been removed.',
    });
  });

  it('creates an unknown session anew only when it was never used', async () => {
    const { provider, projectDir } = await open({}, `--memory=${scratchDirectory()}`);
    const loaded = await provider.loadSession('fixture:gone', { projectDir, neverUsed: true });
    expect(loaded).toEqual({ sessionId: 'fixture:gone', cliType: 'fixture', history: [] });
    expect((await watchSession(provider, 'fixture:gone').turn('hello')).text).toBe('You said: hello');
  });

  it('answers with what was shown when the agent cannot load an open session', async () => {
    const { provider, sessionId, watch, projectDir } = await open();
    await watch.turn('hello');
    const { history } = await provider.loadSession(sessionId, { projectDir });
    expect(history).toEqual(watch.items());
  });
});
