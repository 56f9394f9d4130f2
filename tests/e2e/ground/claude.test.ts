import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeEnvironment, findAgents, gate, say, shell } from '../../../scripted-model/index.ts';
import { openClaudeSession } from './claude-session.ts';
import { type Ground, prepareGround, requireAgent } from './ground.ts';
import { processesOf } from './processes.ts';

let ground: Ground;

beforeEach(async () => {
  requireAgent(findAgents().claude);
  ground = await prepareGround();
});

afterEach(() => ground?.cleanup());

describe('the real Claude Code against the scripted model', () => {
  it('answers two turns, runs a tool and leaves no process behind', async () => {
    const { home, projectDir, model } = ground;
    const session = await openClaudeSession(projectDir, claudeEnvironment({ baseUrl: model.url, home }));

    const first = await session.turn('hello');
    expect(first).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Hello from the scripted model.',
    });

    const second = await session.turn('run it');
    expect(second).toMatchObject({ subtype: 'success', is_error: false, result: 'It ran.' });
    expect(session.permissionsAsked).toEqual(['Bash']);
    expect(await readFile(join(projectDir, 'made.txt'), 'utf8')).toBe('made');

    const conversations = model.requests.map(({ conversation }) => conversation);
    expect(conversations).toMatchObject([
      { userMessages: ['hello'], position: 0, cwd: projectDir },
      { userMessages: ['hello', 'run it'], position: 0 },
      { userMessages: ['hello', 'run it'], position: 1, results: [{ output: 'made' }] },
    ]);

    const agent = { group: session.pid(), home };
    expect(processesOf(agent)).not.toEqual([]);
    await session.close();
    await expect.poll(() => processesOf(agent), { timeout: 10_000 }).toEqual([]);
  });

  it('plays every kind of step', async () => {
    const { home, projectDir, model } = ground;
    const session = await openClaudeSession(projectDir, claudeEnvironment({ baseUrl: model.url, home }));
    const answers: unknown[] = [];
    for (const prompt of ['two', 'edit', 'delegate', 'overload', 'cut', 'refuse']) {
      const result = await session.turn(prompt);
      answers.push(result.subtype === 'success' ? result.result : result.subtype);
    }
    await session.close();

    expect(answers).toEqual([
      'Both ran.',
      'Edited.',
      'The task is given.',
      'At last.',
      'Half and whole.',
      'API Error: 400 scripted refusal',
    ]);
    expect(await readFile(join(projectDir, 'greeting.txt'), 'utf8')).toBe('Goodbye\nfrom a sample file.\n');
    expect(await readFile(join(projectDir, 'notes/new.txt'), 'utf8')).toBe('first\nsecond\n');
    const task = model.requests.findLast(({ conversation }) => conversation.prompt === 'look around');
    expect(task?.conversation).toMatchObject({ position: 1, results: [{ output: 'looked' }] });
  });

  it('continues the running scenario when a message joins the turn', async () => {
    const { home, projectDir, model } = ground;
    model.when('steer', [[shell('echo working'), gate('tool called')], [say('I heard you.')]]);
    const session = await openClaudeSession(projectDir, claudeEnvironment({ baseUrl: model.url, home }));
    await session.send('steer');
    await model.gate('tool called');
    await session.send('and this too');
    model.release('tool called');
    expect(await session.finishTurn()).toMatchObject({ result: 'I heard you.' });
    expect(model.requests.at(-1)?.conversation).toMatchObject({
      userMessages: ['steer'],
      asides: ['and this too'],
      position: 1,
    });
    await session.close();
  });

  it('keeps its context when it is resumed by another process', async () => {
    const { home, projectDir, model } = ground;
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const before = await openClaudeSession(projectDir, env);
    const result = await before.turn('hello');
    await before.close();
    const after = await openClaudeSession(projectDir, env, { resume: result.session_id });
    const resumed = await after.turn('context');
    await after.close();
    expect(resumed).toMatchObject({ result: 'I know 2 user messages. The first was: hello' });
  });
});
