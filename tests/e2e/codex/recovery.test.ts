import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editFile, gate, say, shell, think } from '../../../scripted-model/index.ts';
import { watchSession } from '../../support/agents/acp-rig.ts';
import { processesOf } from '../ground/processes.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';
import { whatIsShown } from './what-is-shown.ts';

let codex: CodexRig;

beforeAll(async () => {
  codex = await startCodex({
    rules: [
      { when: 'long', scenario: [[say('one two three '), gate('middle'), say('four')]] },
      {
        when: 'everything',
        scenario: [
          [think('A **thought**.'), say('Working.'), shell('echo out; echo err >&2; exit 2')],
          [editFile('greeting.txt', 'Hello\n', 'Goodbye\n')],
          [say('All done.')],
        ],
      },
    ],
  });
});

afterAll(() => codex?.close());

describe('the real Codex', () => {
  it('stream/TC-4.1b loads a conversation after a restart as it was shown, with its context', async () => {
    const { sessionId, watch } = await codex.open();
    await watch.turn('do everything');
    await watch.turn('hello');
    await codex.restart();

    const provider = codex.provider();
    const { projectDir } = codex;
    const { history } = await provider.loadSession(sessionId, { projectDir });
    expect(history.map(whatIsShown)).toEqual(watch.items().map(whatIsShown));
    expect(history.every((item) => item.sessionId === sessionId)).toBe(true);
    expect((await provider.loadSession(sessionId, { projectDir })).history.map(({ itemId }) => itemId)).toEqual(
      history.map(({ itemId }) => itemId),
    );
    expect((await watchSession(provider, sessionId).turn('context')).text).toBe(
      'I know 3 user messages. The first was: do everything',
    );
  });

  it('fails an open turn with PROCESS_CRASH when it is killed, and continues with the context', async () => {
    const { sessionId, watch } = await codex.open();
    await watch.turn('hello');
    const { turnId } = await codex.provider().sendMessage(sessionId, 'a long one');
    await watch.shown((upsert) => upsert.type === 'message' && upsert.content.includes('three'));
    const pid = codex.pids.at(-1) ?? 0;
    process.kill(pid, 'SIGKILL');
    expect(await watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
    expect(watch.items().at(-1)).toMatchObject({
      status: 'error',
      errorCode: 'PROCESS_CRASH',
      content: 'one two three ',
    });

    expect((await watch.turn('context')).text).toBe('I know 3 user messages. The first was: hello');
    expect(codex.pids.at(-1)).not.toBe(pid);
    expect(codex.provider().isAlive(sessionId)).toBe(true);
  });

  it('rejects an unknown session and never creates one in its place', async () => {
    const unknown = 'codex:00000000-0000-7000-8000-000000000000';
    const { projectDir } = codex;
    for (const sessionId of [unknown, 'codex:not-a-thread']) {
      await expect(codex.provider().loadSession(sessionId, { projectDir })).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
    }
  });

  it('can load a session that was created and never used', async () => {
    const { sessionId } = await codex.open();
    await codex.restart();
    const { projectDir } = codex;
    await expect(codex.provider().loadSession(sessionId, { projectDir })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    const { history } = await codex.provider().loadSession(sessionId, { projectDir, neverUsed: true });
    expect(history).toEqual([]);
    const watch = watchSession(codex.provider(), sessionId);
    expect((await watch.turn('hello')).text).toBe('Hello from the scripted model.');

    await codex.restart();
    const again = await codex.provider().loadSession(sessionId, { projectDir });
    expect(again.history.map(whatIsShown)).toEqual(watch.items().map(whatIsShown));
  });

  it('can load a session again that was killed', async () => {
    const { sessionId, watch } = await codex.open();
    await watch.turn('hello');
    await codex.provider().killSession(sessionId);
    expect(codex.provider().isAlive(sessionId)).toBe(false);
    const { history } = await codex.provider().loadSession(sessionId, { projectDir: codex.projectDir });
    expect(history).toHaveLength(2);
    expect((await watch.turn('context')).text).toMatch(/^I know 2 user messages/);
  });

  it('leaves no process behind', async () => {
    const { watch, sessionId } = await codex.open();
    await codex.provider().sendMessage(sessionId, 'a long one');
    await watch.shown((upsert) => upsert.type === 'message' && upsert.content.includes('three'));
    const group = codex.pids.at(-1) ?? 0;
    await codex.provider().close();
    expect(processesOf({ group, home: codex.projectDir })).toEqual([]);
  });
});
