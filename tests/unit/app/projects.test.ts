import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../support/server/test-app.ts';
import { transports } from '../../support/server/transports.ts';

describe.each(transports)('projects over $name', (transport) => {
  it('are added, listed in the order in which they were added, and removed', async () => {
    const app = await createTestApp();
    const paths = ['b', 'a'].map((name) => join(app.dataDir, name));
    for (const path of paths) mkdirSync(path);

    const added = [];
    for (const path of paths) added.push((await transport.run(app, 'project:add', { path })).output?.project);

    expect(added).toMatchObject([
      { path: paths[0], name: 'b' },
      { path: paths[1], name: 'a' },
    ]);
    expect((await transport.run(app, 'project:list', {})).output?.projects).toEqual(added);
    const projectId = added[0]?.id ?? '';
    expect((await transport.run(app, 'project:remove', { projectId })).output).toEqual({ projectId });
    expect((await transport.run(app, 'project:list', {})).output?.projects).toEqual([added[1]]);
  });

  it.each([
    ['a path that is missing', 'missing', 'PROJECT_PATH_INVALID'],
    ['a path that is relative', '../somewhere', 'PROJECT_PATH_INVALID'],
    ['no path', '   ', 'INVALID_MESSAGE'],
    ['a path with a NUL', '/tmp/\0', 'INVALID_MESSAGE'],
  ] as const)('are not added from %s', async (_name, path, code) => {
    const app = await createTestApp();
    const input = path === 'missing' ? join(app.dataDir, path) : path;

    expect((await transport.run(app, 'project:add', { path: input })).error?.code).toBe(code);
    expect(app.stores.projects.listProjects()).toEqual([]);
  });

  it('are not added twice under different spellings of the path', async () => {
    const app = await createTestApp();
    const { path } = await app.addProject();

    const { error } = await transport.run(app, 'project:add', { path: `${path}/./` });

    expect(error?.code).toBe('PROJECT_DUPLICATE');
  });

  it('cannot be removed when unknown: PROJECT_NOT_FOUND', async () => {
    const app = await createTestApp();

    for (const projectId of ['00000000-0000-4000-8000-000000000000', 'no uuid']) {
      expect((await transport.run(app, 'project:remove', { projectId })).error?.code).toBe('PROJECT_NOT_FOUND');
    }
  });

  it('mvp/TC-1.3a keep their sessions when they are removed and added again', async () => {
    const app = await createTestApp();
    const { id: projectId, path } = await app.addProject();
    const sessionId = await app.createSession({ projectId });

    await transport.run(app, 'project:remove', { projectId });
    expect((await transport.run(app, 'session:list', { projectId })).error?.code).toBe('PROJECT_NOT_FOUND');
    const { output } = await transport.run(app, 'project:add', { path });

    const list = await transport.run(app, 'session:list', { projectId: output?.project?.id });
    expect(list.output?.sessions?.map(({ id }) => id)).toEqual([sessionId]);
  });

  it('mvp/TC-1.3b are announced to every window when removed, also with open sessions', async () => {
    const app = await createTestApp();
    const { id: projectId } = await app.addProject();
    const sessionId = await app.createSession({ projectId });
    const window = await app.connect();
    await window.ask('session:open', { sessionId });

    await transport.run(app, 'project:remove', { projectId });

    expect(await window.next('project:removed')).toEqual({ type: 'project:removed', projectId });
  });

  it('complete at most 50 directories, hidden ones only after a dot', async () => {
    const app = await createTestApp();
    const root = join(app.dataDir, 'tree');
    for (let index = 0; index < 60; index += 1) mkdirSync(join(root, `many-${index}`), { recursive: true });
    mkdirSync(join(root, '.hidden'));
    mkdirSync(join(root, 'one'));
    const complete = async (prefix: string) => (await transport.run(app, 'directory:complete', { prefix })).output;

    expect(await complete(`${root}/o`)).toEqual({ directories: [`${root}/one`], truncated: false });
    const many = await complete(`${root}/`);
    expect(many).toMatchObject({ truncated: true });
    expect(many?.directories).toHaveLength(50);
    expect(many?.directories).not.toContain(`${root}/.hidden`);
    expect(await complete(`${root}/.`)).toEqual({ directories: [`${root}/.hidden`], truncated: false });
    for (const nothing of ['/no/such/place/', 'relative', '/\0']) {
      expect(await complete(nothing)).toEqual({ directories: [], truncated: false });
    }
  });
});
