import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { callTool, say, shell, writeFile } from '../../../scripted-model/index.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { createRig } from './rig.ts';

async function start(defaultMode?: string) {
  const rig = await createRig([
    { when: 'write', scenario: [[writeFile('written.txt', 'x')], [shell('touch touched.txt')], [say('Done.')]] },
    { when: 'leave', scenario: [[callTool('ExitPlanMode', {})], [writeFile('written.txt', 'x')], [say('Done.')]] },
  ]);
  onTestFinished(async () => {
    await rig.close();
  });
  const directory = rig.env.CLAUDE_CONFIG_DIR ?? join(rig.env.HOME ?? '', '.claude');
  mkdirSync(directory, { recursive: true });
  if (defaultMode !== undefined) {
    writeFileSync(join(directory, 'settings.json'), JSON.stringify({ permissions: { defaultMode } }));
  }
  return {
    rig,
    made: () => ['written.txt', 'touched.txt'].filter((name) => existsSync(join(rig.projectDir, name))),
    async turn(text: string): Promise<{ sessionId: string; calls: UpsertObject[] }> {
      const session = await rig.create();
      const turnId = await session.send(text);
      await session.ended(turnId);
      const calls = session.itemsOf(turnId).filter(({ type }) => type === 'tool_call');
      return { sessionId: session.itemsOf(turnId)[0]?.sessionId ?? '', calls };
    },
  };
}

it.each(['write it', 'leave the plan'])('safe/modes claude: in plan mode nothing is written: %s', async (text) => {
  const { rig, made, turn } = await start('plan');
  const { sessionId, calls } = await turn(text);
  expect(made()).toEqual([]);
  expect(calls).toHaveLength(2);
  for (const call of calls) {
    expect(call).toMatchObject({
      toolOutputIsError: true,
      toolOutput: expect.stringMatching(/Plan mode is on \(permissions\.defaultMode in .*settings\.json\)/),
    });
  }
  expect(rig.provider.access(sessionId)).toMatchObject({ mode: 'plan' });
});

it('safe/modes claude: what may not be asked is not done', async () => {
  const { made, turn } = await start('dontAsk');
  const { calls } = await turn('write it');
  expect(made()).toEqual([]);
  for (const call of calls) expect(call).toMatchObject({ toolOutputIsError: true });
});

it.each([undefined, 'bypassPermissions'])('safe/modes claude: permissions are given in the mode %s', async (mode) => {
  const { made, turn } = await start(mode);
  await turn('write it');
  expect(made()).toEqual(['written.txt', 'touched.txt']);
});
