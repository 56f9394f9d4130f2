import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { createAcpRig, fixtureAgent } from '../../support/agents/acp-rig.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const TOLD = 'fixture:made-elsewhere' as SessionId;

async function createRig() {
  const scratch = scratchDirectory();
  const [memory, directory, dataDir] = ['memory', 'work', 'data'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [memory, directory, dataDir]) mkdirSync(folder);
  const file = join(memory, 'made-elsewhere.jsonl');
  const rows = [
    { role: 'user', text: 'Asked elsewhere' },
    { role: 'agent', text: 'Answered elsewhere' },
  ];
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const start = async () => {
    const agent = fixtureAgent('talker', `--memory=${memory}`, `--list=${directory}`);
    const { provider, pids } = createAcpRig({ agent });
    const app = await createTestApp<CliProvider>({ providers: [provider], dataDir });
    const window = await app.connect();
    const list = async () => (await window.ask('session:list-all')).sessions ?? [];
    return { app, provider, pids, window, list };
  };
  return { directory, file, start };
}

it('follow/told a session that a running agent tells of is listed and opened by the agent; none is started for it', async () => {
  const { directory, start } = await createRig();
  const { app, window, pids, list } = await start();
  const { project } = await window.ask('project:add', { path: directory });
  expect(await list()).toEqual([]);
  expect(pids).toEqual([]);

  const found = window.next('session:found');
  const own = await app.createSession({ cliType: 'fixture', projectId: project?.id ?? '' });
  const told = { id: TOLD, projectId: project?.id, title: 'made-elsewhere', source: 'terminal', state: 'closed' };
  expect((await found).sessions).toMatchObject([told]);
  expect((await list()).map(({ id }) => id).toSorted()).toEqual([own, TOLD].toSorted());
  expect(pids).toHaveLength(1);

  const history = window.next('session:history');
  window.send({ type: 'session:open', sessionId: TOLD });
  const { entries } = await history;
  expect(entries).toMatchObject([{ content: 'Asked elsewhere' }, { content: 'Answered elsewhere' }]);
});

it('follow/told what was told is listed after a restart without the agent, and is gone when the agent says so', async () => {
  const { directory, file, start } = await createRig();
  const first = await start();
  const { project } = await first.window.ask('project:add', { path: directory });
  const found = first.window.next('session:found');
  await first.app.createSession({ cliType: 'fixture', projectId: project?.id ?? '' });
  await found;
  await first.app.close();

  const later = await start();
  await later.window.next('session:found');
  expect((await later.list()).map(({ id }) => id)).toContain(TOLD);
  expect(later.pids).toEqual([]);

  rmSync(file);
  const gone = later.window.next('session:deleted');
  await later.app.createSession({ cliType: 'fixture', projectId: project?.id ?? '' });
  expect(await gone).toMatchObject({ sessionId: TOLD });
});
