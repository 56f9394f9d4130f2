import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createProjectStore,
  noProjects,
  type ProjectStoreOptions,
  projectsFormat,
} from '../../../server/projects/project-store.ts';
import { createSessionStore, noSessions, sessionsFormat } from '../../../server/sessions/session-store.ts';
import { nodeFileSystem } from '../../../server/store/file-system.ts';
import { openJsonStore } from '../../../server/store/index.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

async function setUp(options: Partial<ProjectStoreOptions> = {}, dataDir = scratchDirectory()) {
  const clock = createManualClock();
  const disk = { isFull: false };
  const fs = {
    ...nodeFileSystem,
    async rename(from: string, to: string) {
      if (disk.isFull) throw new Error('disk full');
      await nodeFileSystem.rename(from, to);
    },
  };
  const path = join(dataDir, 'projects.json');
  const store = await openJsonStore({ ...projectsFormat, defaults: noProjects, path, clock, fs });
  const projects = createProjectStore({ store, clock, ...options });
  const onDisk = () => JSON.parse(readFileSync(path, 'utf8'));
  const paths = () => projects.listProjects().map((project) => project.path);
  return { clock, dataDir, disk, projects, onDisk, paths };
}

function directories(...names: string[]): string[] {
  const root = scratchDirectory();
  return names.map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  });
}

describe('listing', () => {
  test('mvp/TC-1.1a projects are listed in the order they were added', async () => {
    const [zebra = '', ant = ''] = directories('zebra', 'ant');
    const { projects, paths } = await setUp();
    await projects.addProject(zebra);
    await projects.addProject(ant);
    expect(paths()).toEqual([zebra, ant]);
  });

  test('the list is the same after a restart', async () => {
    const [first = '', second = ''] = directories('first', 'second');
    const { projects, dataDir } = await setUp();
    await projects.addProject(first);
    await projects.addProject(second);
    const restarted = await setUp({}, dataDir);
    expect(restarted.projects.listProjects()).toEqual(projects.listProjects());
  });
});

describe('adding', () => {
  test('mvp/TC-1.2a a directory becomes a project with an id and the name of the directory, on disk', async () => {
    const [path = ''] = directories('shop');
    const { projects, onDisk } = await setUp();
    const project = await projects.addProject(path);
    expect(project).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      path,
      name: 'shop',
      addedAt: '2025-01-01T00:00:00.000Z',
    });
    expect(projects.getProject(project.id)).toEqual(project);
    expect(onDisk()).toEqual({ version: 1, projects: [project], removed: [] });
  });

  test.each([
    ['does not exist', '/no/such/directory'],
    ['is relative', 'some/where'],
    ['is empty', ''],
    ['is the home of another user', '~root'],
    ['contains a NUL', '/tmp/\0'],
  ])('mvp/TC-1.2b a path that %s is rejected and nothing is added', async (_, path) => {
    const { projects } = await setUp();
    await expect(projects.addProject(path)).rejects.toMatchObject({ code: 'PROJECT_PATH_INVALID' });
    expect(projects.listProjects()).toEqual([]);
  });

  test('mvp/TC-1.2b a file is rejected', async () => {
    const file = join(scratchDirectory(), 'file');
    writeFileSync(file, '');
    const { projects } = await setUp();
    await expect(projects.addProject(file)).rejects.toMatchObject({
      code: 'PROJECT_PATH_INVALID',
      message: expect.stringContaining('is not a directory'),
    });
  });

  test('mvp/TC-1.2b a directory that cannot be read is rejected', async () => {
    const [path = ''] = directories('locked');
    const { projects } = await setUp({ canRead: async () => false });
    await expect(projects.addProject(path)).rejects.toMatchObject({ code: 'PROJECT_PATH_INVALID' });
  });

  test('mvp/TC-1.2d a directory that is already a project is rejected with the project', async () => {
    const [path = ''] = directories('shop');
    const { projects } = await setUp();
    const project = await projects.addProject(path);
    await expect(projects.addProject(path)).rejects.toMatchObject({ code: 'PROJECT_DUPLICATE', details: { project } });
    expect(projects.listProjects()).toEqual([project]);
  });

  test('mvp/TC-1.2d every spelling of a path is the same project', async () => {
    const [path = ''] = directories('shop');
    const root = join(path, '..');
    symlinkSync(path, join(root, 'link'));
    const { projects } = await setUp({ home: root });
    const project = await projects.addProject(join(root, 'link'));
    expect(project).toMatchObject({ path, name: 'shop' });
    const spellings = [
      `${path}/`,
      `${path}///`,
      `${path}/.`,
      `${path}/../shop`,
      `${root}/link/`,
      '~/shop',
      ` ${path}\n`,
    ];
    for (const spelling of spellings) {
      await expect(projects.addProject(spelling), spelling).rejects.toMatchObject({ code: 'PROJECT_DUPLICATE' });
      expect(await projects.findByPath(spelling), spelling).toEqual(project);
    }
  });

  test('the same directory added twice at the same time is one project', async () => {
    const [path = ''] = directories('shop');
    const { projects } = await setUp();
    const results = await Promise.allSettled([projects.addProject(path), projects.addProject(path)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(projects.listProjects()).toHaveLength(1);
  });

  test('finding or adding the same directory, even at the same time, gives one project', async () => {
    const [path = ''] = directories('shop');
    const { projects } = await setUp();
    const [first, second] = await Promise.all([projects.findOrAdd(path), projects.findOrAdd(`${path}/`)]);
    expect(second).toEqual(first);
    expect(projects.listProjects()).toEqual([first]);
  });

  test('the root directory can be a project', async () => {
    const { projects } = await setUp();
    expect(await projects.addProject('/')).toMatchObject({ path: '/', name: '/' });
  });

  test('a project that could not be saved is not added, and can be added later', async () => {
    const [path = ''] = directories('shop');
    const { projects, disk, onDisk } = await setUp();
    disk.isFull = true;
    await expect(projects.addProject(path)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(projects.listProjects()).toEqual([]);
    disk.isFull = false;
    const project = await projects.addProject(path);
    expect(onDisk().projects).toEqual([project]);
  });
});

describe('removing', () => {
  test('mvp/TC-1.3a a project that is removed and added again keeps its sessions and is listed last', async () => {
    const [first = '', second = ''] = directories('first', 'second');
    const { projects, dataDir, paths, clock } = await setUp();
    const project = await projects.addProject(first);
    await projects.addProject(second);
    const path = join(dataDir, 'sessions.json');
    const sessions = createSessionStore(await openJsonStore({ ...sessionsFormat, defaults: noSessions, path }));
    const now = clock.now();
    const meta = { cliType: 'codex', archived: false, title: 'Fix', lastActiveAt: now, createdAt: now };
    await sessions.add({ id: 'codex:1', projectId: project.id, ...meta });

    await projects.removeProject(project.id);
    expect(paths()).toEqual([second]);
    expect(projects.getProject(project.id)).toBeUndefined();
    expect(await projects.findByPath(first)).toBeUndefined();
    expect(sessions.list(project.id)).toHaveLength(1);

    clock.advance(1_000);
    const again = await projects.addProject(first);
    expect(again).toEqual({ ...project, addedAt: '2025-01-01T00:00:01.000Z' });
    expect(paths()).toEqual([second, first]);
    expect(sessions.list(again.id).map(({ id }) => id)).toEqual(['codex:1']);
  });

  test('mvp/TC-1.3a the id of a removed project survives a restart', async () => {
    const [path = ''] = directories('shop');
    const { projects, dataDir } = await setUp();
    const { id } = await projects.addProject(path);
    await projects.removeProject(id);
    const restarted = await setUp({}, dataDir);
    expect(await restarted.projects.addProject(path)).toMatchObject({ id });
    expect(restarted.onDisk().removed).toEqual([]);
  });

  test('an unknown project is an error', async () => {
    const { projects } = await setUp();
    await expect(projects.removeProject('nobody')).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  test('a removal that could not be saved leaves the project in its place', async () => {
    const [first = '', second = '', third = ''] = directories('first', 'second', 'third');
    const { projects, disk, paths } = await setUp();
    await projects.addProject(first);
    const { id } = await projects.addProject(second);
    await projects.addProject(third);
    disk.isFull = true;
    await expect(projects.removeProject(id)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(paths()).toEqual([first, second, third]);
  });

  test('a project whose second addition could not be saved keeps its id for the next attempt', async () => {
    const [path = ''] = directories('shop');
    const { projects, disk } = await setUp();
    const { id } = await projects.addProject(path);
    await projects.removeProject(id);
    disk.isFull = true;
    await expect(projects.addProject(path)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    disk.isFull = false;
    expect(await projects.addProject(path)).toMatchObject({ id });
  });
});
