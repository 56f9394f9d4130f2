import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claudeEnvironment, findAgents } from '../../../scripted-model/index.ts';
import { openClaudeSession } from './claude-session.ts';
import { type Ground, prepareGround, requireAgent } from './ground.ts';
import { processesOf } from './processes.ts';

let ground: Ground;

beforeEach(async () => {
  ground = await prepareGround();
});

afterEach(() => ground.cleanup());

describe('the real Claude Code against the scripted model', () => {
  it('answers two turns, runs a tool and leaves no process behind', async () => {
    requireAgent(findAgents().claude);
    const { home, projectDir, model } = ground;
    const session = await openClaudeSession(projectDir, claudeEnvironment({ baseUrl: model.url, home }));

    const first = await session.turn('hello');
    expect(first.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Hello from the scripted model.',
    });

    const second = await session.turn('run it');
    expect(second.result).toMatchObject({ subtype: 'success', is_error: false, result: 'It ran.' });
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
});
