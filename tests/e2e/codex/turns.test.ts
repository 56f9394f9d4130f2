import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cut, editFile, fail, gate, say, shell, think, writeFile } from '../../../scripted-model/index.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';
import { whatIsShown } from './what-is-shown.ts';

let codex: CodexRig;

beforeAll(async () => {
  codex = await startCodex({
    streamRetries: 1,
    rules: [
      { when: 'think', scenario: [[think('**Plan**\n\nfirst look'), say('Thought about it.')]] },
      {
        when: 'tools',
        scenario: [[say('Running both.'), shell('echo one'), shell('echo two >&2; exit 3')], [say('Both ran.')]],
      },
      {
        when: 'edit',
        scenario: [
          [editFile('greeting.txt', 'Hello\n', 'Goodbye\n'), writeFile('notes/new.txt', 'first\nsecond\n')],
          [say('Edited.')],
        ],
      },
      { when: 'slowly', scenario: [[say('First half, '), gate('half'), say('second half.')]] },
      { when: 'after', scenario: [[say('Next one.')]] },
      { when: 'long', scenario: [[say('one two three '), gate('middle'), say('four')]] },
      { when: 'tool', scenario: [[shell('echo started; sleep 600')], [say('never')]] },
      { when: 'refuse', scenario: [[fail(400, 'scripted refusal')]] },
      { when: 'unauthorized', scenario: [[fail(401, 'no such key')]] },
      { when: 'cut', scenario: [[say('Half '), cut({ times: 1 }), say('and whole.')]] },
      { when: 'broken', scenario: [[say('Half '), cut()]] },
    ],
  });
});

afterAll(async () => {
  const problems = codex?.problems;
  await codex?.close();
  expect(problems).toEqual([]);
});

describe('the real Codex', () => {
  it('stream/TC-4.1a and 4.1c answers in text', async () => {
    const { watch, sessionId } = await codex.open();
    const { turnId } = await codex.provider().sendMessage(sessionId, 'hello', { turnId: 'mine' });
    expect(turnId).toBe('mine');
    const end = await watch.ended('mine');
    expect(watch.turns).toEqual([
      { type: 'turn_started', turnId, sessionId, modelId: expect.stringMatching(/\w/), providerId: 'codex' },
      {
        type: 'turn_complete',
        turnId,
        sessionId,
        status: 'completed',
        stopReason: 'end_turn',
        usage: expect.objectContaining({ inputTokens: expect.any(Number), outputTokens: expect.any(Number) }),
      },
    ]);
    expect(end).toBe(watch.turns.at(-1));
    expect(watch.items().map(whatIsShown)).toEqual([
      { type: 'message', origin: 'user', content: 'hello', status: 'complete' },
      { type: 'message', origin: 'agent', content: 'Hello from the scripted model.', status: 'complete' },
    ]);
    expect(watch.upserts[0]).toMatchObject({ itemId: 'mine:user' });
    expect(watch.upserts.every((upsert) => upsert.sessionId === sessionId)).toBe(true);
  });

  it('shows its thoughts', async () => {
    const { watch } = await codex.open();
    const { items } = await watch.turn('think about it');
    expect(items.slice(1).map(whatIsShown)).toEqual([
      { type: 'thinking', content: '**Plan**\n\nfirst look', status: 'complete' },
      { type: 'message', origin: 'agent', content: 'Thought about it.', status: 'complete' },
    ]);
  });

  it('stream/TC-4.2b and 4.2c runs two tools, one of which fails', async () => {
    const { watch } = await codex.open();
    const { items, end } = await watch.turn('run the tools');
    const call = { type: 'tool_call', status: 'complete', toolName: 'exec_command', toolKind: 'execute' };
    expect(items).toHaveLength(5);
    expect(items[1]).toMatchObject({ content: 'Running both.' });
    expect(items.filter(({ type }) => type === 'tool_call')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...call,
          toolArguments: { command: 'echo one', cwd: codex.projectDir },
          toolOutput: expect.stringMatching(/one\n$/),
          toolOutputIsError: false,
          exitCode: 0,
        }),
        expect.objectContaining({
          ...call,
          toolArguments: { command: 'echo two >&2; exit 3', cwd: codex.projectDir },
          toolOutput: expect.stringMatching(/two\n$/),
          toolOutputIsError: true,
          exitCode: 3,
        }),
      ]),
    );
    expect(items[4]).toMatchObject({ content: 'Both ran.' });
    expect(end).toMatchObject({ status: 'completed' });
    const states = watch.upserts.filter(({ type }) => type === 'tool_call').map(({ status }) => status);
    expect(states.toSorted()).toEqual(['complete', 'complete', 'create', 'create']);
  });

  it('edits files and shows what changed', async () => {
    const { watch } = await codex.open();
    const { items } = await watch.turn('edit the files');
    expect(items.flatMap((item) => (item.type === 'tool_call' ? (item.diffs ?? []) : []))).toEqual([
      {
        path: join(codex.projectDir, 'greeting.txt'),
        oldText: 'Hello\nfrom a sample file.\n',
        newText: 'Goodbye\nfrom a sample file.\n',
      },
      { path: join(codex.projectDir, 'notes/new.txt'), oldText: null, newText: 'first\nsecond\n' },
    ]);
    expect(items.filter(({ type }) => type === 'tool_call')).toMatchObject([
      { toolKind: 'edit', status: 'complete', toolOutputIsError: false },
      { toolKind: 'edit', status: 'complete', toolOutputIsError: false },
    ]);
    expect(await readFile(join(codex.projectDir, 'greeting.txt'), 'utf8')).toMatch(/^Goodbye/);
  });

  it('runs a message that comes while it is busy as the next turn', async () => {
    const { watch, sessionId } = await codex.open();
    const { turnId: first } = await codex.provider().sendMessage(sessionId, 'slowly please');
    await watch.shown(
      ({ turnId, type, itemId }) => turnId === first && type === 'message' && !itemId.endsWith(':user'),
    );
    const { turnId: second } = await codex.provider().sendMessage(sessionId, 'and after that');
    expect(watch.items().at(-1)).toMatchObject({ itemId: `${second}:user`, content: 'and after that' });
    codex.model.release('half');
    await watch.ended(second);
    expect(watch.turns.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn_started', first],
      ['turn_complete', first],
      ['turn_started', second],
      ['turn_complete', second],
    ]);
    const textOf = (turn: string) =>
      watch.items().flatMap((item) => (item.turnId === turn && item.type === 'message' ? [item.content] : []));
    expect(textOf(first)).toEqual(['slowly please', 'First half, second half.']);
    expect(textOf(second)).toEqual(['and after that', 'Next one.']);
  });

  it('runs several conversations in one process', async () => {
    const [one, two] = await Promise.all([codex.open(), codex.open()]);
    const [first, second] = await Promise.all([one.watch.turn('think'), two.watch.turn('hello')]);
    expect([first.text, second.text]).toEqual(['Thought about it.', 'Hello from the scripted model.']);
    expect(codex.pids).toHaveLength(1);
  });
});

describe('a turn of the real Codex that is cancelled', () => {
  it('while it writes ends as cancelled with its text so far, and so do queued turns', async () => {
    const { watch, sessionId } = await codex.open();
    const { turnId } = await codex.provider().sendMessage(sessionId, 'a long one');
    await watch.shown((upsert) => upsert.type === 'message' && upsert.content.includes('three'));
    const waiting = await codex.provider().sendMessage(sessionId, 'a long one again');
    await codex.provider().cancelTurn(sessionId);
    expect(watch.turns.filter(({ type }) => type !== 'turn_started')).toMatchObject([
      { turnId: waiting.turnId, type: 'turn_complete', status: 'cancelled' },
      { turnId, type: 'turn_complete', status: 'cancelled' },
    ]);
    expect(watch.items().find(({ itemId }) => itemId === `${turnId}:0:0`)).toMatchObject({ content: 'one two three ' });

    expect((await watch.turn('hello')).text).toBe('Hello from the scripted model.');
    const asked = codex.model.requests.filter(({ conversation }) => !conversation.isSideQuestion);
    expect(asked.at(-1)?.conversation.userMessages).not.toContain('a long one again');
  });

  it('while a tool runs ends as cancelled, and so does the tool', async () => {
    const { watch, sessionId } = await codex.open();
    const { turnId } = await codex.provider().sendMessage(sessionId, 'the tool');
    await watch.shown(({ type }) => type === 'tool_call');
    await codex.provider().cancelTurn(sessionId);
    expect(await watch.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(watch.items().at(-1)).toMatchObject({ type: 'tool_call', status: 'error', errorCode: 'CANCELLED' });
    expect((await watch.turn('hello')).text).toBe('Hello from the scripted model.');
  });
});

describe('a turn of the real Codex', () => {
  it('whose model refuses fails with its message, shown once', async () => {
    const { watch } = await codex.open();
    const { end, items } = await watch.turn('refuse this');
    expect(end).toMatchObject({ type: 'turn_error', errorCode: 'MODEL_ERROR', errorMessage: 'scripted refusal' });
    expect(items).toHaveLength(1);
    expect((await watch.turn('hello')).end).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('whose model rejects the account fails with how to sign in', async () => {
    const { watch } = await codex.open();
    expect((await watch.turn('unauthorized')).end).toMatchObject({
      type: 'turn_error',
      errorCode: 'AGENT_NOT_SIGNED_IN',
      errorMessage: expect.stringContaining('codex login'),
    });
  });

  it('whose stream is cut shows the abandoned part, the retry and the whole answer', async () => {
    const { watch } = await codex.open();
    const { items, end } = await watch.turn('cut it');
    expect(items.slice(1)).toMatchObject([
      { type: 'message', origin: 'agent', status: 'error', errorCode: 'STREAM_RETRIED', content: 'Half ' },
      { type: 'message', origin: 'system', content: expect.stringMatching(/attempt 1 of 1: \S/) },
      { type: 'message', origin: 'agent', status: 'complete', content: 'Half and whole.' },
    ]);
    expect(end).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('whose stream stays cut fails, and so does its last message', async () => {
    const { watch } = await codex.open();
    const { items, end } = await watch.turn('broken');
    expect(end).toMatchObject({ type: 'turn_error', errorCode: 'MODEL_ERROR' });
    expect(items.at(-1)).toMatchObject({
      origin: 'agent',
      status: 'error',
      errorCode: 'MODEL_ERROR',
      content: 'Half ',
    });
  });
});
