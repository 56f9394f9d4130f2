import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NativeFiles } from '../../../server/engine/native-files.ts';
import { fromCanonical, type SessionId, toCanonical } from '../../../shared/ids.ts';
import { createScriptedProvider } from '../../support/agents/scripted-provider.ts';
import { createHomes, type Homes, listingsOf } from '../../support/found/search-rig.ts';
import { secondAfter, type Written, writeRollout, writeTranscript } from '../../support/found/transcripts.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const SESSION = `claude-code:${ID}` as SessionId;

async function createRig(
  homes: Homes = createHomes(),
  options: { dataDir?: string; aliases?: Map<string, string> } = {},
) {
  const { aliases = new Map(), dataDir } = options;
  const providers = listingsOf(homes).map(({ cliType, listing }) => {
    const nativeFiles: NativeFiles = {
      home: () => homes.home,
      nativeIdOf: (id) => aliases.get(id) ?? fromCanonical(id).nativeId,
      find: async () => undefined,
      async *list() {},
    };
    return createScriptedProvider({ cliType, listing, nativeFiles });
  });
  const app = await createTestApp({ providers, ...(dataDir && { dataDir }) });
  const window = await app.connect();
  const directory = join(homes.home, 'work');
  mkdirSync(directory, { recursive: true });
  const ids = async () => (await window.ask('session:list-all')).sessions?.map(({ id }) => id) ?? [];
  return {
    ...{ app, window, homes, directory, ids },
    claude: (written: Partial<Written> = {}) =>
      writeTranscript(homes.claudeHome, { cwd: directory, id: ID, ...written }),
    codex: (written: Partial<Written> = {}) => writeRollout(homes.codexHome, { cwd: directory, ...written }),
    /** Makes the directory a project. */
    async project() {
      const { project } = await window.ask('project:add', { path: directory });
      return project?.id ?? '';
    },
    found: () => window.next('session:found'),
    list: async (projectId: string) => (await window.ask('session:list', { projectId })).sessions ?? [],
  };
}

it('follow/list sessions of terminals are listed with their project, marked, and announced when they appear', async () => {
  const rig = await createRig();
  const projectId = await rig.project();
  rig.claude({ prompt: 'Asked in a terminal' });
  const { sessions } = await rig.found();
  const item = {
    id: SESSION,
    projectId,
    title: 'Asked in a terminal',
    source: 'terminal',
    state: 'closed',
    lastActiveAt: '2026-11-01T10:00:01.000Z',
  };
  expect(sessions).toMatchObject([item]);
  expect(await rig.list(projectId)).toMatchObject([item]);
  expect(await rig.ids()).toEqual([SESSION]);

  rig.codex({ cwd: join(rig.directory, 'below'), isRun: true, at: '2026-11-03T10:00:00.000Z' });
  expect((await rig.found()).sessions).toMatchObject([{ cliType: 'codex', source: 'terminal', run: true, projectId }]);
  expect((await rig.list(projectId)).map(({ cliType }) => cliType)).toEqual(['codex', 'claude-code']);
});

it('follow/list adding and removing a project changes the list at once', async () => {
  const rig = await createRig();
  rig.claude();
  const other = await rig.app.addProject();
  writeTranscript(rig.homes.claudeHome, { cwd: other.path });
  await rig.found();
  expect(await rig.ids()).toHaveLength(1);

  const projectId = await rig.project();
  expect((await rig.found()).sessions).toMatchObject([{ id: SESSION, projectId }]);
  expect(await rig.list(projectId)).toHaveLength(1);
  await rig.window.ask('project:remove', { projectId });
  expect(await rig.ids()).not.toContain(SESSION);
});

it('follow/live a title or a message in the terminal changes the item; a removed file removes it', async () => {
  const rig = await createRig();
  await rig.project();
  const path = rig.claude();
  await rig.found();
  const timestamp = secondAfter('2026-11-05T10:00:00.000Z');
  appendFileSync(path, `${JSON.stringify({ type: 'assistant', timestamp, message: { content: [] } })}\n`);
  appendFileSync(path, `${JSON.stringify({ type: 'custom-title', customTitle: 'Named there' })}\n`);
  const { session } = await rig.window.next('session:changed');
  expect(session).toMatchObject({ id: SESSION, title: 'Named there', lastActiveAt: timestamp });

  rmSync(path);
  expect(await rig.window.next('session:deleted')).toMatchObject({ sessionId: SESSION });
  expect(await rig.ids()).toEqual([]);
});

it('follow/list the first change takes a session into our own list, where it stays what it is', async () => {
  const rig = await createRig();
  const projectId = await rig.project();
  const path = rig.claude({ prompt: 'From a terminal' });
  await rig.found();
  expect(rig.app.stores.sessions.get(SESSION)).toBeUndefined();

  await rig.window.ask('session:pin', { sessionId: SESSION, pinned: true });
  expect(rig.app.stores.sessions.get(SESSION)).toMatchObject({
    source: 'terminal',
    pinned: true,
    used: true,
    projectId,
  });
  expect(await rig.list(projectId)).toMatchObject([{ id: SESSION, pinned: true, source: 'terminal' }]);

  rmSync(path);
  await rig.app.addProject();
  await rig.window.settled();
  expect(await rig.ids()).toEqual([SESSION]);
  await rig.window.ask('session:archive', { sessionId: SESSION });
  rig.claude({ prompt: 'Back' });
  rig.codex();
  await rig.found();
  expect(await rig.ids()).toHaveLength(1);
  expect(await rig.ids()).not.toContain(SESSION);
});

it('follow/list a session of our own is listed once, with the newer time and a title instead of the placeholder', async () => {
  const aliases = new Map<string, string>();
  const rig = await createRig(createHomes(), { aliases });
  const projectId = await rig.project();
  const own = await rig.app.createSession({ projectId });
  const under = (await rig.app.createSession({ projectId, cliType: 'codex' })) as SessionId;
  const stored = '22222222-2222-4222-8222-222222222222';
  aliases.set(under, stored);
  const at = '2030-01-01T00:00:00.000Z';
  rig.claude({ id: fromCanonical(own as SessionId).nativeId, at, prompt: 'Continued there' });
  rig.codex({ id: stored, at, prompt: 'Under another id' });
  rig.codex({ prompt: 'Another one' });
  await rig.found();

  const sessions = await rig.list(projectId);
  expect(sessions).toHaveLength(3);
  expect(sessions).toContainEqual(
    expect.objectContaining({ id: own, title: 'Continued there', lastActiveAt: secondAfter(at), source: 'here' }),
  );
  expect(sessions).toContainEqual(expect.objectContaining({ id: under, title: 'Under another id' }));
  expect(await rig.ids()).not.toContain(toCanonical('codex', stored));
});

it('follow/list a session that was deleted here stays away although the agent keeps its file', async () => {
  const homes = createHomes();
  const rig = await createRig(homes);
  const projectId = await rig.project();
  rig.claude();
  await rig.found();
  await rig.window.ask('session:delete', { sessionId: SESSION });
  expect(await rig.ids()).toEqual([]);
  rig.codex();
  await rig.found();
  expect(await rig.list(projectId)).toHaveLength(1);
  expect(rig.app.stores.sessions.isDeleted(SESSION)).toBe(true);
});

it('follow/list all found sessions come page by page, each once', async () => {
  const rig = await createRig();
  const projectId = await rig.project();
  const own = await rig.app.createSession({ projectId });
  for (let index = 0; index < 1_100; index += 1) rig.claude({ id: `session-${index}` });
  for (let count = 0; count < 1_100; ) count += (await rig.found()).sessions?.length ?? 0;

  const first = await rig.window.ask('session:list-all');
  expect([first.sessions?.length, first.sessions?.[0]?.id, first.more]).toEqual([1_000, own, true]);
  const after = first.sessions?.at(-1)?.id;
  const second = await rig.window.ask('session:list-all', { after });
  expect([second.sessions?.length, second.more]).toEqual([101, false]);
  const all = [...(first.sessions ?? []), ...(second.sessions ?? [])].map(({ id }) => id);
  expect(new Set(all).size).toBe(1_101);
});

it('follow/offered directories with sessions that are no project are offered, most recently used first', async () => {
  const rig = await createRig();
  const [older, newer, runs, gone] = ['older', 'newer', 'runs', 'gone'].map((name) => join(rig.homes.home, name));
  for (const path of [older, newer, runs]) mkdirSync(path ?? '');
  const write = (cwd = '', at = '', isRun = false) => writeTranscript(rig.homes.claudeHome, { cwd, at, isRun });
  write(older, '2026-11-01T10:00:00.000Z');
  write(newer, '2026-11-02T10:00:00.000Z');
  write(newer, '2026-11-03T10:00:00.000Z');
  write(runs, '2026-11-04T10:00:00.000Z', true);
  write(gone, '2026-11-05T10:00:00.000Z');
  await rig.project();
  rig.claude({ cwd: join(rig.directory, 'below') });
  await rig.found();

  const { directories } = await rig.window.ask('directory:with-sessions');
  expect(directories).toEqual([
    { path: newer, sessions: 2, lastActiveAt: '2026-11-03T10:00:01.000Z' },
    { path: older, sessions: 1, lastActiveAt: '2026-11-01T10:00:01.000Z' },
  ]);
});
