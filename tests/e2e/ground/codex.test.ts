import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAgents, prepareCodexHome } from '../../../scripted-model/index.ts';
import { type CodexTurn, openCodexSession } from './codex-session.ts';
import { type Ground, prepareGround, requireAgent } from './ground.ts';
import { processesOf } from './processes.ts';

let adapter: string;
let ground: Ground;

beforeEach(async () => {
  adapter = requireAgent(findAgents().codex);
  ground = await prepareGround();
});

afterEach(() => ground?.cleanup());

const textOf = ({ updates }: CodexTurn) =>
  updates
    .map((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
    )
    .join('');

describe('the real Codex against the scripted model', () => {
  it('answers two turns, runs a tool and leaves no process behind', async () => {
    const { home, projectDir, model } = ground;
    const session = await openCodexSession(adapter, projectDir, await prepareCodexHome({ baseUrl: model.url, home }));

    const first = await session.turn('hello');
    expect(first.stopReason).toBe('end_turn');
    expect(textOf(first)).toBe('Hello from the scripted model.');

    const second = await session.turn('run it');
    expect(second.stopReason).toBe('end_turn');
    expect(textOf(second)).toBe('I will run it.It ran.');
    expect(second.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'completed' }),
    );
    expect(await readFile(join(projectDir, 'made.txt'), 'utf8')).toBe('made');

    const turns = model.requests
      .map(({ conversation }) => conversation)
      .filter(({ isSideQuestion }) => !isSideQuestion);
    expect(turns).toMatchObject([
      { userMessages: ['hello'], position: 0, cwd: projectDir },
      { userMessages: ['hello', 'run it'], position: 0 },
      { userMessages: ['hello', 'run it'], position: 1, results: [{ output: expect.stringContaining('made') }] },
    ]);

    const agent = { group: session.pid, home };
    expect(processesOf(agent)).not.toEqual([]);
    await session.close();
    await expect.poll(() => processesOf(agent), { timeout: 10_000 }).toEqual([]);
  });

  it('plays every kind of step', async () => {
    const { home, projectDir, model } = ground;
    const retries = { streamRetries: 1, requestRetries: 1 };
    const env = await prepareCodexHome({ baseUrl: model.url, home, ...retries });
    const session = await openCodexSession(adapter, projectDir, env);
    const answers: string[] = [];
    for (const prompt of ['two', 'edit', 'overload', 'cut', 'refuse', 'delegate']) {
      answers.push(textOf(await session.turn(prompt)));
    }
    const task = () => model.requests.findLast(({ conversation }) => conversation.prompt === 'look around');
    await expect.poll(() => task()?.conversation.position, { timeout: 10_000 }).toBe(1);
    await session.close();

    expect(answers).toEqual([
      'Both ran.',
      'Edited.',
      'At last.',
      'Half Half and whole.',
      'scripted refusal\n\n',
      'The task is given.',
    ]);
    expect(await readFile(join(projectDir, 'greeting.txt'), 'utf8')).toBe('Goodbye\nfrom a sample file.\n');
    expect(await readFile(join(projectDir, 'notes/new.txt'), 'utf8')).toBe('first\nsecond\n');
    expect(task()?.conversation.results).toMatchObject([{ output: expect.stringContaining('looked') }]);
  });

  it('keeps its context when it is loaded by another process', async () => {
    const { home, projectDir, model } = ground;
    const env = await prepareCodexHome({ baseUrl: model.url, home });
    const before = await openCodexSession(adapter, projectDir, env);
    await before.turn('hello');
    await before.close();
    const after = await openCodexSession(adapter, projectDir, env, { load: before.sessionId });
    const resumed = await after.turn('context');
    await after.close();
    expect(textOf(resumed)).toBe('I know 2 user messages. The first was: hello');
  });
});
