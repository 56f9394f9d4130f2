import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../shared/entities.ts';
import { conversation } from '../../support/agents/scripted-history.ts';
import { createScriptedProvider, type Transcripts } from '../../support/agents/scripted-provider.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createTestApp } from '../../support/server/test-app.ts';

describe('the sessions of a project', () => {
  it('mvp/TC-2.1a are listed with title, last activity and agent type', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    await app.createSession({ projectId });
    await app.createSession({ projectId, cliType: 'codex' });
    await app.createSession({ projectId });

    const { sessions } = await app.app.service.list({ projectId });

    expect(sessions).toHaveLength(3);
    for (const session of sessions) {
      expect(session).toMatchObject({ title: 'New Session', lastActiveAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    }
    expect(sessions.map(({ cliType }) => cliType).sort()).toEqual(['claude-code', 'claude-code', 'codex']);
  });

  it('mvp/TC-2.1b are ordered by last activity, newest first', async () => {
    const clock = createManualClock();
    const app = await createTestApp({ clock });
    const { id: projectId } = await app.addProject();
    const order = async () => (await app.app.service.list({ projectId })).sessions.map(({ id }) => id);
    const create = async () => {
      clock.advance(1000);
      return app.createSession({ projectId });
    };
    const [first, second, third] = [await create(), await create(), await create()];

    expect(await order()).toEqual([third, second, first]);

    clock.advance(1000);
    await app.app.service.send({ sessionId: first, content: 'hold' });
    expect(await order()).toEqual([first, third, second]);
  });

  it('mvp/TC-2.1c are an empty list if there are none', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();

    expect(await app.app.service.list({ projectId })).toEqual({ projectId, sessions: [] });
  });

  it('mvp/TC-2.2a are stored under their canonical id', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();

    const { sessionId } = await app.app.service.create({ cliType: 'codex', projectId });

    expect(sessionId).toBe('codex:s1');
    expect(app.stores.sessions.get(sessionId)).toMatchObject({ id: sessionId, projectId, cliType: 'codex' });
  });

  it('mvp/TC-2.4c never include a session of the agent that was not created here', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    app.agent.remember('claude-code:foreign', conversation('claude-code:foreign', ['Who?', 'Someone else.']));

    expect((await app.app.service.list({ projectId })).sessions).toEqual([]);
    await expect(app.app.service.load({ sessionId: 'claude-code:foreign' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('mvp/TC-2.5a mvp/TC-2.5b are listed after a restart, with their history from the agent', async () => {
    const dataDir = scratchDirectory();
    const transcripts: Transcripts = new Map();
    const start = () => createTestApp({ dataDir, providers: [createScriptedProvider({ transcripts })] });
    const before = await start();
    const { id: projectId } = await before.stores.projects.addProject(dataDir);
    const kept = await before.createSession({ projectId });
    const archived = await before.createSession({ projectId });
    await before.app.service.archive({ sessionId: archived });
    const window = await before.connect();
    await window.ask('session:open', { sessionId: kept });
    await window.ask('session:send', { sessionId: kept, content: 'Remember this' });
    await window.next(({ payload }) => payload?.type === 'turn_complete');
    await before.close();

    const after = await start();

    const { sessions } = await after.app.service.list({ projectId });
    expect(sessions).toEqual([expect.objectContaining({ id: kept, title: 'Remember this', state: 'closed' })]);
    const again = await after.connect();
    const history = await again.ask('session:open', { sessionId: kept });
    expect(history.entries).toMatchObject([
      { origin: 'user', content: 'Remember this' },
      { origin: 'agent', content: 'You said: Remember this', status: 'complete' },
    ]);
  });
});

describe('the sessions of all projects', () => {
  it('safe/linear are listed page by page, each once, without those that are archived or of removed projects', async () => {
    const dataDir = scratchDirectory();
    const at = '2026-01-01T00:00:00.000Z';
    const [kept, removed] = ['kept', 'removed'].map((name) => ({
      id: randomUUID(),
      name,
      path: join(dataDir, name),
      addedAt: at,
    })) as [Project, Project];
    const facts = { cliType: 'codex', title: 'A session', createdAt: at, lastActiveAt: at };
    const sessions = Array.from({ length: 2_500 }, (_, index) => {
      const projectId = index % 5 === 4 ? removed.id : kept.id;
      return { ...facts, id: `codex:n${index}`, projectId, archived: index % 5 === 3 };
    });
    writeFileSync(join(dataDir, 'projects.json'), JSON.stringify({ version: 1, projects: [kept], removed: [removed] }));
    writeFileSync(join(dataDir, 'sessions.json'), JSON.stringify({ version: 1, sessions }));
    const app = await createTestApp({ dataDir });

    const first = await app.app.service.listAll({});
    const second = await app.app.service.listAll({ after: first.sessions.at(-1)?.id });
    const wanted = sessions.filter(({ archived, projectId }) => !archived && projectId === kept.id);

    expect([first.more, second.more]).toEqual([true, false]);
    expect([first.sessions.length, second.sessions.length]).toEqual([1_000, 500]);
    expect([...first.sessions, ...second.sessions].map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    await expect(app.app.service.listAll({ after: 'codex:unknown' })).rejects.toThrow();
  });
});
