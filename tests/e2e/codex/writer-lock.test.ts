import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gate, say } from '../../../scripted-model/index.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { watchSession } from '../../support/agents/acp-rig.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';
import { execResume, startAppServer } from './outside-programs.ts';

let rig: CodexRig;

beforeAll(async () => {
  rig = await startCodex({
    rules: [
      { when: 'hello', scenario: [[say('Hello.')]] },
      { when: 'wait', scenario: [[say('Waiting.'), gate('never')]] },
    ],
  });
});

afterAll(() => rig.close());

const nativeIdOf = (sessionId: string) => fromCanonical(sessionId).nativeId;

describe('the lock of the real Codex', { timeout: 60_000 }, () => {
  it('follow/idle-lock an idle session is closed after two seconds, a terminal gets in, and we see what it said', async () => {
    const { sessionId, watch } = await rig.open();
    const { turnId } = await rig.provider().sendMessage(sessionId, 'wait');
    await watch.shown((upsert) => upsert.type === 'message' && upsert.content === 'Waiting.');
    expect(await execResume(rig, nativeIdOf(sessionId), 'hello')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('already has an active writer'),
    });
    await rig.provider().cancelTurn(sessionId);
    await watch.ended(turnId);
    const started = rig.pids.length;

    await expect.poll(() => rig.provider().isAlive(sessionId), { timeout: 10_000 }).toBe(false);
    expect(await execResume(rig, nativeIdOf(sessionId), 'hello from a terminal')).toMatchObject({ code: 0 });
    expect((await watch.turn('context')).text).toMatch(/^I know 3 user messages/);
    expect(rig.pids).toHaveLength(started);
  });

  it('follow/held a session that another program has open is held by it, and ours are not held', async () => {
    const { sessionId, watch } = await rig.open();
    await watch.turn('hello');
    const threadId = nativeIdOf(sessionId);
    const { holders } = rig.provider();
    expect(await holders?.all()).toEqual(new Map());
    await rig.provider().rest(sessionId, 'asked to');
    let changes = 0;
    const stop = holders?.watch(() => {
      changes += 1;
    });

    const terminal = await startAppServer(rig);
    await expect.poll(() => terminal.request('thread/resume', { threadId }).catch(() => undefined)).toBeDefined();
    const holder = { label: 'Codex', pid: terminal.pid, since: expect.stringMatching(/^20\d\d-/), certain: true };
    expect(await holders?.find(threadId)).toEqual(holder);
    await expect.poll(() => changes, { timeout: 5_000 }).toBe(1);
    await expect(rig.provider().sendMessage(sessionId, 'hello')).rejects.toMatchObject({
      code: 'SESSION_IN_USE',
      message: `Another Codex (process ${terminal.pid}) has this session open. Close it there, then send the message again.`,
      details: { heldBy: holder },
    });

    await terminal.end();
    await expect.poll(() => changes, { timeout: 5_000 }).toBe(2);
    expect(await holders?.find(threadId)).toBeUndefined();
    expect((await watch.turn('hello again')).text).toBe('Hello.');
    stop?.();
  });

  it('follow/fork a fork is made while another program has the session open, of all of it or up to a turn', async () => {
    const { sessionId, watch } = await rig.open();
    for (const text of ['hello one', 'hello two', 'hello three']) await watch.turn(text);
    await rig.provider().rest(sessionId, 'asked to');
    const terminal = await startAppServer(rig);
    const threadId = nativeIdOf(sessionId);
    await expect.poll(() => terminal.request('thread/resume', { threadId }).catch(() => undefined)).toBeDefined();
    const provider = rig.provider();
    const { projectDir } = rig;
    const { history = [] } = (await provider.readNewest(sessionId, projectDir)) ?? {};
    const itemId = history.find((item) => item.itemId.includes(':t2:'))?.itemId;

    const whole = await provider.fork(sessionId, { projectDir });
    const part = await provider.fork(sessionId, { projectDir, itemId });
    await expect(provider.fork(sessionId, { projectDir, itemId: 'elsewhere:t1:user' })).rejects.toMatchObject({
      code: 'FORK_UNSUPPORTED',
    });

    for (const [fork, turns] of [
      [whole, 3],
      [part, 2],
    ] as const) {
      await provider.loadSession(fork, { projectDir });
      const known = await provider.readContext(fork, projectDir);
      expect(known?.context).toMatchObject({ state: 'forked', messages: 2 * turns, from: sessionId });
      const answer = await watchSession(provider, fork).turn('context');
      expect(answer.text).toBe(`I know ${turns + 1} user messages. The first was: hello one`);
    }
    await terminal.end();
  });

  it('follow/idle-lock a session that was never used stays open, because Codex would forget it', async () => {
    const { sessionId } = await rig.open();
    const used = await rig.open();
    await used.watch.turn('hello');
    await expect.poll(() => rig.provider().isAlive(used.sessionId), { timeout: 10_000 }).toBe(false);
    const watch = watchSession(rig.provider(), sessionId);
    expect((await watch.turn('hello')).text).toBe('Hello.');
  });
});
