import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createEnvelopeRig } from '../../../support/agents/envelope-rig.ts';

/** Real processes on a busy machine. */
vi.setConfig({ testTimeout: 30_000 });

describe('a message to an agent of one’s own', () => {
  it('is shown first, then answered in a turn that ends', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const turnId = await rig.ask(sessionId, 'echo Hello');

    expect(rig.output.all).toMatchObject([
      {
        type: 'message',
        itemId: `${turnId}:user`,
        origin: 'user',
        content: 'echo Hello',
        status: 'complete',
        sessionId,
      },
      { type: 'turn_started', turnId, sessionId, modelId: 'model-1', providerId: 'fixture' },
      { type: 'message', itemId: `${turnId}:agent:text`, origin: 'agent', content: 'echo Hello', status: 'complete' },
      { type: 'turn_complete', turnId, status: 'completed' },
    ]);
  });

  it('keeps the turn id that it is given', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    expect(await rig.provider.sendMessage(sessionId, 'echo', { turnId: 'my-turn' })).toEqual({ turnId: 'my-turn' });
    await rig.ended('my-turn');
  });

  it('reaches the agent unharmed, whatever characters it holds', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const content = 'echo "quotes" \\ back\nnew line\r\u2028\u2029\u0085 \u{1f600} 語 \u0000';
    await rig.ask(sessionId, content);
    expect(rig.output.upserts().at(-1)).toMatchObject({ origin: 'agent', content });
  });

  it('comes on a line that no line reader splits', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.ask(sessionId, 'raw \u2028\u2029\u0085');
    const line = Buffer.from(rig.texts().at(-1) ?? '', 'hex').toString();
    expect(line).toContain('raw \\u2028\\u2029\\u0085');
  });

  it('may be sent while another is being answered', async () => {
    const rig = createEnvelopeRig({ flags: ['polite'] });
    const sessionId = await rig.create();
    const first = await rig.provider.sendMessage(sessionId, 'half');
    await rig.ask(sessionId, 'echo second');
    await rig.provider.cancelTurn(sessionId);

    expect(rig.output.turns(first.turnId).at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(rig.output.turns().filter((event) => event.type === 'turn_complete')).toHaveLength(2);
  });

  it('is answered by the same process each time, in the directory of the project', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.ask(sessionId, 'echo one');
    await rig.ask(sessionId, 'recall');

    const told: unknown = JSON.parse(rig.texts().at(-1) ?? '');
    expect(told).toEqual({ session: sessionId, cwd: rig.projectDir, texts: ['echo one', 'echo one', 'recall'] });
    expect(rig.statuses.map(({ status }) => status)).toEqual(['starting', 'connected']);
  });

  it('to a session that is not open is refused', async () => {
    const rig = createEnvelopeRig();
    await expect(rig.provider.sendMessage('fixture:unknown', 'echo')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('items of an agent of one’s own', () => {
  it('cannot take the place of the user’s message or of items of another turn', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const first = await rig.ask(sessionId, 'tool');
    const second = await rig.ask(sessionId, 'tool');

    const ids = new Set(rig.output.upserts().map((upsert) => upsert.itemId));
    expect([...ids]).toEqual(
      [first, second].flatMap((turnId) => [`${turnId}:user`, `${turnId}:agent:call`, `${turnId}:agent:user`]),
    );
  });
});

describe('cancelling', () => {
  it('asks the agent and ends the turn as cancelled', async () => {
    const rig = createEnvelopeRig({ flags: ['polite'] });
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'half');
    await rig.until(() => rig.texts().includes('half an answer'));
    await rig.provider.cancelTurn(sessionId);

    expect(rig.output.outline().at(-1)).toBe('turn_complete');
    expect(rig.output.statuses(`${turnId}:agent:text`)).toEqual(['create']);
    expect(rig.provider.isAlive(sessionId)).toBe(true);
  });

  it('is not a failure, even if the agent calls it one', async () => {
    const rig = createEnvelopeRig({ flags: ['sulky'] });
    const sessionId = await rig.create();
    await rig.provider.sendMessage(sessionId, 'half');
    await rig.provider.cancelTurn(sessionId);
    expect(rig.output.turns().at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });

  it('does nothing when nothing runs', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.provider.cancelTurn(sessionId);
    await rig.provider.cancelTurn('fixture:unknown');
    expect(rig.output.all).toEqual([]);
  });
});

describe('a session', () => {
  it('is alive until it is killed, and can be loaded again with its history', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    expect(rig.provider.isAlive(sessionId)).toBe(true);
    await rig.ask(sessionId, 'echo one');
    await rig.provider.killSession(sessionId);
    expect(rig.provider.isAlive(sessionId)).toBe(false);
    expect(rig.running()).toBe(0);

    const { history } = await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });
    expect(history).toEqual(rig.output.upserts());
    expect(rig.provider.isAlive(sessionId)).toBe(false);

    await rig.ask(sessionId, 'recall');
    expect(rig.texts().at(-1)).toContain('echo one');
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'connected', sessionId }]);
  });

  it('keeps the order in which its items appeared', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const turnId = await rig.ask(sessionId, 'tool');
    const { history } = await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });

    expect(history.map((item) => item.itemId)).toEqual([
      `${turnId}:user`,
      `${turnId}:agent:call`,
      `${turnId}:agent:user`,
    ]);
    expect(history.map((item) => item.status)).toEqual(['complete', 'complete', 'complete']);
  });

  it('keeps what a cancelled turn had shown', async () => {
    const rig = createEnvelopeRig({ flags: ['polite'] });
    const sessionId = await rig.create();
    await rig.provider.sendMessage(sessionId, 'half');
    await rig.until(() => rig.texts().includes('half an answer'));
    await rig.provider.cancelTurn(sessionId);

    const { history } = await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });
    expect(history.at(-1)).toMatchObject({ content: 'half an answer', status: 'complete' });
  });

  it('without a message can be loaded by another server', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.provider.close();
    const next = createEnvelopeRig({ dataDir: rig.dataDir });
    expect(await next.provider.loadSession(sessionId, { projectDir: rig.projectDir })).toEqual({
      sessionId,
      cliType: 'fixture',
      history: [],
    });
  });

  it.each(['fixture:gone', 'other:gone', 'fixture:../../etc/passwd', 'fixture'])(
    'whose transcript is not there is not found: %s',
    async (sessionId) => {
      const rig = createEnvelopeRig();
      await expect(rig.provider.loadSession(sessionId, { projectDir: rig.projectDir })).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      expect(rig.provider.statuses()).toEqual([]);
    },
  );

  it('that was never used is empty, even if its transcript is not there', async () => {
    const rig = createEnvelopeRig();
    const options = { projectDir: rig.projectDir, neverUsed: true };
    expect(await rig.provider.loadSession('fixture:fresh', options)).toMatchObject({ history: [] });
    await rig.provider.sendMessage('fixture:fresh', 'echo');
  });

  it('is written to a file that only its owner can read, one finished item a line', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.ask(sessionId, 'echo one');
    const path = join(rig.dataDir, 'envelope', 'fixture', `${sessionId.slice('fixture:'.length)}.jsonl`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { item: unknown }).item)).toEqual(rig.output.upserts());
  });

  it('does not end with the listeners of another', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    rig.provider.onUpsert(sessionId, () => {
      throw new Error('a broken listener');
    });
    await rig.ask(sessionId, 'echo one');
    expect(rig.logLines.join()).toContain('a broken listener');
  });
});

describe('an agent that ends after each answer', () => {
  it('is started again by the next message, and nobody is alarmed', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.ask(sessionId, 'once');
    await rig.until(() => rig.statuses.at(-1)?.status === 'idle');
    await rig.ask(sessionId, 'echo again');

    expect(rig.statuses.map(({ status }) => status)).toEqual([
      'starting',
      'connected',
      'idle',
      'starting',
      'connected',
    ]);
  });
});

describe('availability', () => {
  it('is told without starting anything', async () => {
    const rig = createEnvelopeRig();
    expect(await rig.provider.checkAvailability()).toEqual({ cliType: 'fixture', label: 'Fixture', available: true });
    expect(rig.running()).toBe(0);
  });

  it('names the command that is missing', async () => {
    const rig = createEnvelopeRig({ command: 'no-such-agent' });
    expect(await rig.provider.checkAvailability()).toMatchObject({
      available: false,
      reason: expect.stringContaining('no-such-agent'),
    });
  });
});

describe('close', () => {
  it('ends all processes', async () => {
    const rig = createEnvelopeRig();
    await rig.create();
    await rig.create();
    expect(rig.running()).toBe(2);
    await rig.provider.close();
    expect(rig.running()).toBe(0);
  });
});
