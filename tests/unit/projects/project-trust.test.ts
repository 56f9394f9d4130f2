import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStores } from '../../../server/open-stores.ts';
import { createProjectTrust } from '../../../server/projects/project-trust.ts';
import type { Finding } from '../../../server/trust/index.ts';
import type { Project } from '../../../shared/entities.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

async function start(directory = scratchDirectory()) {
  const dataDir = join(directory, 'data');
  const path = join(directory, 'project');
  mkdirSync(path, { recursive: true });
  const warnings: string[] = [];
  const stores = await openStores(dataDir, {
    warn: (text) => warnings.push(text),
    onError: () => {},
    journalThread: 'here',
  });
  const found = new Map<string, Partial<Finding>>();
  const changes: Project[] = [];
  const followed: string[] = [];
  const whatRuns = async () =>
    [...found].map(
      ([id, more]): Finding => ({ id, cliType: 'codex', kind: 'hook', name: id, detail: '', file: 'f', ...more }),
    );
  const trust = createProjectTrust({
    projects: stores.projects,
    agents: () => [{ whatRuns, followTrust: async (projectDir) => void followed.push(projectDir) }],
    onChange: (project) => changes.push(project),
  });
  const { id } = await stores.projects.findOrAdd(path);
  const look = async () => {
    const { trust: state, wouldRun } = await trust.look(id);
    return [state, ...wouldRun.map((entry) => (entry.isNew ? `${entry.id}!` : entry.id))];
  };
  return { dataDir, path, id, stores, trust, found, changes, followed, look, warnings };
}

it('safe/trust-again a trusted directory is unknown again when something new appears, and stays trusted when something goes', async () => {
  const { id, trust, found, look, followed, path } = await start();
  expect(await look()).toEqual(['unknown']);
  found.set('a', {}).set('b', {});
  expect(await look()).toEqual(['unknown', 'a', 'b']);
  await trust.decide(id, true);
  expect(followed).toEqual([path]);
  expect(await look()).toEqual(['trusted', 'a', 'b']);
  found.delete('a');
  expect(await look()).toEqual(['trusted', 'b']);
  found.set('c', {});
  expect(await look()).toEqual(['unknown', 'b', 'c!']);
  found.delete('c');
  expect(await look()).toEqual(['trusted', 'b']);
});

it('safe/trust-again the worktrees of a project follow its trust', async () => {
  const { id, trust, stores, followed, path } = await start();
  stores.projects.noteDirectory(id, '/elsewhere/worktree');
  await trust.decide(id, false);
  expect(followed).toEqual([path, '/elsewhere/worktree']);
});

it('safe/trust-gate only what the user was shown is trusted', async () => {
  const { id, path, trust, found, look, stores } = await start();
  found.set('a', {}).set('late', {});
  expect((await trust.decide(id, true, ['a', 'gone'])).trust).toBe('unknown');
  expect(await look()).toEqual(['unknown', 'a', 'late!']);
  expect([...stores.projects.allowedIn(path)]).toEqual(['a']);
});

it('safe/trust-gate a directory that is not trusted stays so, whatever appears, until the user trusts it', async () => {
  const { id, path, trust, found, look, stores } = await start();
  found.set('a', {});
  await trust.decide(id, false);
  found.set('b', {});
  expect(await look()).toEqual(['untrusted', 'a', 'b']);
  expect(stores.projects.allowedIn(path).size).toBe(0);
  await trust.decide(id, true);
  expect(await look()).toEqual(['trusted', 'a', 'b']);
});

it("safe/trust-gate a directory that the user's own settings refuse is untrusted without a question", async () => {
  const { id, trust, found, look } = await start();
  found.set('a', { isRefused: true });
  expect(await look()).toEqual(['untrusted', 'a']);
  await trust.decide(id, true);
  expect(await look()).toEqual(['trusted', 'a']);
});

it('safe/trust-gate with ask, a call is refused until the user has decided, with the list in the details', async () => {
  const { id, trust, found } = await start();
  await trust.check(id, true);
  found.set('a', {});
  await expect(trust.check(id, true)).rejects.toMatchObject({
    code: 'PROJECT_NOT_TRUSTED',
    details: { project: { id, wouldRun: [{ id: 'a' }] } },
  });
  await trust.check(id);
  await trust.decide(id, false);
  await trust.check(id, true);
});

it('safe/trust-again windows are told when a look finds something else, and only then', async () => {
  const { id, trust, found, changes } = await start();
  await trust.look(id);
  await trust.look(id);
  expect(changes).toEqual([]);
  found.set('a', {});
  await trust.check(id);
  await trust.check(id);
  expect(changes).toMatchObject([{ id, trust: 'unknown', wouldRun: [{ id: 'a' }] }]);
});

it('safe/trust-gate the decision is on disk, survives a restart, and is forgotten with the project', async () => {
  const directory = scratchDirectory();
  const first = await start(directory);
  first.found.set('a', {});
  await first.trust.decide(first.id, true);
  await first.stores.close();

  const second = await start(directory);
  second.found.set('a', {});
  expect(await second.look()).toEqual(['trusted', 'a']);
  await second.stores.projects.removeProject(second.id);
  await second.stores.projects.addProject(second.path);
  expect(await second.look()).toEqual(['unknown', 'a']);
});

it('safe/trust-gate a file of the version before is read as it is: nothing was decided', async () => {
  const directory = scratchDirectory();
  mkdirSync(join(directory, 'data'));
  mkdirSync(join(directory, 'project'));
  const project = {
    id: '0b7a4f3c-8a52-4a39-9a61-2d6a0e6d1a11',
    path: join(directory, 'project'),
    name: 'project',
    addedAt: '2026-01-01T00:00:00.000Z',
  };
  const path = join(directory, 'data', 'projects.json');
  writeFileSync(path, JSON.stringify({ version: 1, projects: [project], removed: [] }));
  const { id, look, trust, warnings, found, stores } = await start(directory);
  expect([id, warnings]).toEqual([project.id, []]);
  expect(await look()).toEqual(['unknown']);
  found.set('a', {});
  await trust.decide(id, true);
  await stores.close();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    version: 1,
    projects: [{ ...project, decision: { trusted: true } }],
  });
});

it('safe/trust-list of a long list of projects the first are looked at at once, the others after the answer', async () => {
  const { stores, trust, found, changes, path } = await start();
  found.set('a', {});
  for (let count = 1; count < 150; count += 1) {
    const directory = join(path, `p${count}`);
    mkdirSync(directory);
    await stores.projects.addProject(directory);
  }
  const listed = await trust.list();
  expect(listed.map(({ wouldRun }) => wouldRun.length)).toEqual(listed.map((_, at) => (at < 100 ? 1 : 0)));
  await expect.poll(() => changes.length).toBe(50);
  expect((await trust.list()).every(({ wouldRun }) => wouldRun.length === 1)).toBe(true);
});

it('safe/trust-gate an unknown project is not found', async () => {
  const { trust } = await start();
  await expect(trust.look('nowhere')).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  await expect(trust.decide('nowhere', true)).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
});
