import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { conversation } from '../../support/agents/scripted-history.ts';
import { createTestApp } from '../../support/server/test-app.ts';
import { transports } from '../../support/server/transports.ts';

const unknownSession = 'claude-code:never-seen';

describe.each(transports)('session lifecycle over $name', (transport) => {
  it('stream/TC-6.1a create returns the session id and the agent type', async () => {
    const app = await createTestApp();
    const { id: projectId, path: projectDir } = await app.addProject();

    for (const [cliType, provider] of [
      ['claude-code', app.providers[0]],
      ['codex', app.providers[1]],
    ] as const) {
      const { output } = await transport.run(app, 'session:create', { cliType, projectDir });

      expect(output).toMatchObject({ sessionId: `${cliType}:s1`, cliType, projectId });
      expect(output?.session).toMatchObject({ title: 'New Session', state: 'open', running: false });
      expect(provider?.calls).toEqual([{ method: 'create' }]);
    }
  });

  it('stream/TC-6.1a create adds an unknown directory as one project, also for concurrent requests', async () => {
    const app = await createTestApp();
    const projectDir = join(app.dataDir, 'fresh');
    mkdirSync(projectDir);

    const results = await Promise.all([
      transport.run(app, 'session:create', { cliType: 'codex', projectDir }),
      transport.run(app, 'session:create', { cliType: 'codex', projectDir: `${projectDir}/` }),
    ]);

    expect(app.stores.projects.listProjects().map(({ path }) => path)).toEqual([projectDir]);
    const [project] = app.stores.projects.listProjects();
    expect(results.map(({ output }) => output?.projectId)).toEqual([project?.id, project?.id]);
  });

  it('stream/TC-6.1b create rejects an unknown agent type', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();

    for (const cliType of ['gemini', 'Not A Type']) {
      const { error } = await transport.run(app, 'session:create', { cliType, projectId });

      expect(error).toMatchObject({ code: 'UNSUPPORTED_CLI_TYPE' });
      expect(error?.message).not.toBe('');
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'safe/agent-names an agent type or session id with %s is unknown, not an internal error',
    async (name) => {
      const app = await createTestApp();
      const { id: projectId } = await app.addProject();
      const created = await transport.run(app, 'session:create', { cliType: name, projectId });
      const sent = await transport.run(app, 'session:send', { sessionId: `${name}:abc`, content: 'Hi' });
      expect(created.error).toMatchObject({ code: 'UNSUPPORTED_CLI_TYPE' });
      expect(sent.error).toMatchObject({ code: 'SESSION_NOT_FOUND' });
    },
  );

  it('create requires exactly one project: none, two or an unknown one is rejected', async () => {
    const app = await createTestApp();
    const { id: projectId, path: projectDir } = await app.addProject();
    const create = async (choice: object) =>
      (await transport.run(app, 'session:create', { cliType: 'codex', ...choice })).error?.code;

    expect(await create({})).toBe('INVALID_MESSAGE');
    expect(await create({ projectId, projectDir })).toBe('INVALID_MESSAGE');
    expect(await create({ projectId: '00000000-0000-4000-8000-000000000000' })).toBe('PROJECT_NOT_FOUND');
    expect(await create({ projectDir: join(projectDir, 'missing') })).toBe('PROJECT_PATH_INVALID');
    expect(app.agent.processes.started).toBe(0);
  });

  it('mvp/TC-2.2f a create that the agent rejects returns its error and leaves no session', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    app.agent.failNext('create', new ProviderError('AGENT_UNAVAILABLE', 'Claude Code is not installed. Install it.'));

    const { error } = await transport.run(app, 'session:create', { cliType: 'claude-code', projectId });

    expect(error).toMatchObject({ code: 'AGENT_UNAVAILABLE', message: 'Claude Code is not installed. Install it.' });
    expect(app.stores.sessions.list()).toEqual([]);
  });

  it('stream/TC-6.1c list returns the sessions of one project with their state', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const mine = await app.createSession({ projectId });
    const other = await app.createSession({ projectId, cliType: 'codex' });
    await app.createSession();

    const { output } = await transport.run(app, 'session:list', { projectId });

    expect(output?.projectId).toBe(projectId);
    expect(output?.sessions?.map(({ sessionId }) => sessionId).sort()).toEqual([mine, other].sort());
    expect(output?.sessions?.find(({ id }) => id === mine)).toMatchObject({
      cliType: 'claude-code',
      projectId,
      title: 'New Session',
      state: 'open',
      running: false,
    });
  });

  it('stream/TC-6.1d list requires a project', async () => {
    const app = await createTestApp();

    expect((await transport.run(app, 'session:list', {})).error?.code).toBe('PROJECT_ID_REQUIRED');
    expect((await transport.run(app, 'session:list', { projectId: '' })).error?.code).toBe('PROJECT_ID_REQUIRED');
    expect((await transport.run(app, 'session:list', { projectId: 'no uuid' })).error?.code).toBe('PROJECT_NOT_FOUND');
  });

  it('stream/TC-6.1e load calls the provider of the session and leaves the session open', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession({ cliType: 'codex' });
    await app.app.service.kill({ sessionId });
    const codex = app.providers[1];

    const { output } = await transport.run(app, 'session:open', { sessionId });

    expect(output?.sessionId).toBe(sessionId);
    expect(codex?.calls.at(-1)).toEqual({ method: 'load', sessionId });
    expect((await transport.run(app, 'session:status', { sessionId })).output).toMatchObject({
      state: 'open',
      isAlive: true,
    });
  });

  it.each([
    ['session:open', {}],
    ['session:status', {}],
    ['session:send', { content: 'hello' }],
    ['session:cancel', {}],
    ['session:kill', {}],
    ['session:archive', {}],
    ['session:reconnect', {}],
  ] as const)(
    'stream/TC-6.1f stream/TC-6.2b %s of a session that does not exist is SESSION_NOT_FOUND',
    async (name, input) => {
      const app = await createTestApp();

      for (const sessionId of [unknownSession, 'not a session id', 'gemini:x']) {
        const { error } = await transport.run(app, name, { sessionId, ...input });

        expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' });
      }
      expect(app.agent.calls).toEqual([]);
    },
  );

  it('a session whose transcript is missing is an error, never a new conversation', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    await app.app.service.kill({ sessionId });
    app.agent.forget(sessionId);

    expect((await transport.run(app, 'session:open', { sessionId })).error?.code).toBe('SESSION_NOT_FOUND');
    expect((await transport.run(app, 'session:send', { sessionId, content: 'hi' })).error?.code).toBe(
      'SESSION_NOT_FOUND',
    );
    expect(app.agent.processes.running).toBe(0);
  });

  it('stream/TC-6.3a kill stops the process; the session stays in the list as closed and not alive', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const sessionId = await app.createSession({ projectId });

    const { output } = await transport.run(app, 'session:kill', { sessionId });

    expect(output).toEqual({ sessionId });
    expect(app.agent.processes).toEqual({ started: 1, ended: 1, running: 0 });
    const status = await transport.run(app, 'session:status', { sessionId });
    expect(status.output).toMatchObject({ isAlive: false, state: 'closed', running: false });
    const list = await transport.run(app, 'session:list', { projectId });
    expect(list.output?.sessions).toEqual([expect.objectContaining({ sessionId, state: 'closed' })]);
  });

  it('stream/TC-6.3a kill of a session without a process succeeds', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();

    await transport.run(app, 'session:kill', { sessionId });

    expect((await transport.run(app, 'session:kill', { sessionId })).output).toEqual({ sessionId });
  });

  it('stream/TC-6.3b status returns the state of the session and whether its process is alive', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    const status = async () => (await transport.run(app, 'session:status', { sessionId })).output;
    const fields = { sessionId, cliType: 'claude-code' };

    expect(await status()).toEqual({ ...fields, isAlive: true, state: 'open', running: false });

    await app.app.service.send({ sessionId, content: 'hold' });
    expect(await status()).toEqual({ ...fields, isAlive: true, state: 'open', running: true });

    app.agent.crash(sessionId);
    expect(await status()).toEqual({ ...fields, isAlive: false, state: 'dead', running: false });

    await app.app.service.send({ sessionId, content: 'hold' });
    expect(await status()).toEqual({ ...fields, isAlive: true, state: 'open', running: true });
  });

  it('stream/TC-6.3b a session is loading while its history is read', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    await app.app.service.kill({ sessionId });
    app.agent.gates.load.close();

    const load = app.app.service.load({ sessionId });
    await app.agent.gates.load.reached();

    expect((await transport.run(app, 'session:status', { sessionId })).output?.state).toBe('loading');
    app.agent.gates.load.open();
    await load;
    expect((await transport.run(app, 'session:status', { sessionId })).output?.state).toBe('open');
  });

  it('mvp/TC-2.4a archive removes a session from the list and stops its process', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const kept = await app.createSession({ projectId });
    const sessionId = await app.createSession({ projectId });

    expect((await transport.run(app, 'session:archive', { sessionId })).output).toEqual({ sessionId });

    const { output } = await transport.run(app, 'session:list', { projectId });
    expect(output?.sessions?.map(({ id }) => id)).toEqual([kept]);
    expect((await transport.run(app, 'session:status', { sessionId })).error?.code).toBe('SESSION_NOT_FOUND');
    await expect.poll(() => app.agent.isAlive(sessionId)).toBe(false);
  });

  it('mvp/TC-2.3a open returns the history of the session', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    await app.app.service.kill({ sessionId });
    app.agent.remember(sessionId, conversation(sessionId, ['What is it?', 'A test.']));

    await transport.run(app, 'session:open', { sessionId });
    const window = await app.connect();
    const history = await window.ask('session:subscribe', { sessionId });

    expect(history.entries).toEqual(conversation(sessionId, ['What is it?', 'A test.']));
  });

  it('reconnect starts the agent of a session again', async () => {
    const app = await createTestApp();
    const sessionId = await app.createSession();
    app.agent.crash(sessionId);

    const { output } = await transport.run(app, 'session:reconnect', { sessionId });

    expect(output).toEqual({ sessionId, cliType: 'claude-code' });
    expect(app.agent.isAlive(sessionId)).toBe(true);
  });
});
