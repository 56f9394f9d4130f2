import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { say } from '../../../scripted-model/index.ts';
import { writeCodexSettings } from '../../support/agents/hostile-repository.ts';
import { startTrustScene, type TrustScene } from './trust-scene.ts';

let scene: TrustScene;

beforeEach(async () => {
  scene = await startTrustScene([{ when: 'hello', scenario: [[say('Hello.')]] }]);
});

afterEach(() => scene.close());

const create = (projectId: string) =>
  scene.app.request('POST', '/api/session/create', { body: { projectId, cliType: 'codex' } });

it('safe/trust-gate Codex is not started in a hostile repository, and the answer says what to do', async () => {
  const { repository } = scene;
  writeCodexSettings(repository);
  const answer = await create(await scene.addProject());
  expect(answer.status).toBe(409);
  expect(answer.body).toMatchObject({
    code: 'PROJECT_NOT_TRUSTED',
    message: expect.stringContaining('trust the directory'),
  });
  expect(scene.ledger.entries()).toEqual([]);
  expect(repository.marks()).toEqual([]);
});

it('safe/trust-gate after trust Codex starts and runs the server; what is new ends it and refuses the next message', async () => {
  const { repository, app } = scene;
  writeCodexSettings(repository);
  const projectId = await scene.addProject();
  await scene.trust(projectId, true);
  // Its provider is not the scripted model.
  const sessionId = await scene.create(projectId, 'codex');
  await expect.poll(repository.marks).toContain('mcp-near');

  repository.write('.codex/hooks.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'new' }] }] } });
  const refused = await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/send`, {
    body: { content: 'hello' },
  });
  expect(refused.body).toMatchObject({ code: 'PROJECT_NOT_TRUSTED' });
});

it('safe/trust-gate when trust is withdrawn, a server that Codex has started is ended', async () => {
  const { repository } = scene;
  const pidFile = join(repository.projectDir, 'pid');
  repository.write(
    '.codex/config.toml',
    `[mcp_servers.long]\ncommand = "sh"\nargs = ["-c", "echo $$ > ${pidFile}; exec sleep 1000"]\n`,
  );
  const projectId = await scene.addProject();
  await scene.trust(projectId, true);
  await scene.create(projectId, 'codex');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\d\n/);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await scene.trust(projectId, false);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

it('safe/trust-gate a session of Codex from before is not continued where its repository became hostile', async () => {
  const { repository, app } = scene;
  const projectId = await scene.addProject();
  const sessionId = await scene.create(projectId, 'codex');
  await scene.turn(sessionId, 'hello');
  await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/kill`);
  writeCodexSettings(repository);

  await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/load`);
  const sent = await app.request('POST', `/api/session/${encodeURIComponent(sessionId)}/send`, {
    body: { content: 'hello' },
  });
  expect(sent.body).toMatchObject({ code: 'PROJECT_NOT_TRUSTED' });
  expect(repository.marks()).toEqual([]);
});

it("safe/trust-gate the user's own untrusted in the configuration of Codex holds until the user trusts the directory here", async () => {
  const { repository, home } = scene;
  const config = join(home, '.codex', 'config.toml');
  appendFileSync(config, `\n[projects."${repository.projectDir}"]\ntrust_level = "untrusted"\n`);
  const projectId = await scene.addProject();
  expect((await create(projectId)).body).toMatchObject({ code: 'PROJECT_NOT_TRUSTED' });
  const listed = await scene.app.request('GET', `/api/project/${projectId}`);
  expect(listed.body.project).toMatchObject({ trust: 'untrusted', wouldRun: [{ name: 'trust_level' }] });
  await scene.trust(projectId, true);
  expect((await create(projectId)).status).toBe(201);
  rmSync(config);
});
