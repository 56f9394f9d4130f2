import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { z } from 'zod';
import { projectSchema } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { projectIdSchema } from '../../shared/ids.ts';
import { type Clock, systemClock } from '../clock.ts';
import { commitNow, type JsonStore } from '../store/index.ts';
import { type ProjectPathOptions, resolveProjectPath } from './project-path.ts';

/** What we store about a project. Its trust is worked out from the decision and from what is in the directory now. */
export const projectRecordSchema = projectSchema.omit({ trust: true, wouldRun: true }).extend({
  /** Absent until the user decides, and in files of older versions. Forgotten when the project is removed. */
  decision: z
    .object({
      trusted: z.boolean(),
      /** The ids of what the user allowed to run. */
      allowed: z.array(z.string()),
      decidedAt: z.iso.datetime(),
    })
    .optional(),
});
export type ProjectRecord = z.infer<typeof projectRecordSchema>;

/**
 * `removed` keeps the ids of removed projects by path, so that a project that is added again gets its sessions back.
 */
export const projectsFormat = {
  version: 1,
  schema: z.object({
    projects: z.array(projectRecordSchema),
    removed: z.array(z.object({ id: projectIdSchema, path: z.string().min(1) })),
  }),
};
export type ProjectsData = z.infer<typeof projectsFormat.schema>;
export const noProjects: ProjectsData = { projects: [], removed: [] };

export interface ProjectStoreOptions extends ProjectPathOptions {
  readonly store: JsonStore<ProjectsData>;
  readonly newId?: () => string;
  readonly clock?: Clock;
}

export interface ProjectStore {
  /**
   * Resolves when the project is on disk. Rejects, without changing anything, with PROJECT_PATH_INVALID,
   * PROJECT_DUPLICATE (details: the project) or STORAGE_FAILED.
   */
  addProject(path: string): Promise<ProjectRecord>;
  /** Returns the project with this path, adding it if needed. Rejects like `addProject`, except for duplicates. */
  findOrAdd(path: string): Promise<ProjectRecord>;
  /**
   * Keeps the sessions of the project. Rejects, without changing anything, with PROJECT_NOT_FOUND or STORAGE_FAILED.
   */
  removeProject(projectId: string): Promise<void>;
  /** In the order they were added. */
  listProjects(): readonly ProjectRecord[];
  getProject(projectId: string): ProjectRecord | undefined;
  /** Resolves when the decision is on disk. Rejects, without changing anything, like `removeProject`. */
  decideTrust(projectId: string, trusted: boolean, allowed: readonly string[]): Promise<ProjectRecord>;
  /**
   * A session of the project works in this directory, a sub-directory or a worktree: what may run in the project may run
   * there too.
   */
  noteDirectory(projectId: string, directory: string): void;
  /** The path of the project, and the directories that were noted. */
  directoriesOf(projectId: string): readonly string[];
  /** The ids of what may run in this directory, which is a project's path as it is stored, or one that was noted. */
  allowedIn(path: string): ReadonlySet<string>;
  /** Calls `listener` after a project was added or removed. */
  onChange(listener: () => void): void;
  /** Resolves the path first. Rejects with PROJECT_PATH_INVALID. */
  findByPath(path: string): Promise<ProjectRecord | undefined>;
}

export function createProjectStore(options: ProjectStoreOptions): ProjectStore {
  const { store, newId = randomUUID, clock = systemClock } = options;
  const withPath = (path: string) => store.read().projects.find((project) => project.path === path);
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const withId = (id: string) => store.read().projects.find((project) => project.id === id);
  /** Projects by directory. */
  const noted = new Map<string, string>();

  async function add(path: string): Promise<ProjectRecord> {
    const former = store.read().removed.find((project) => project.path === path);
    const id = former?.id ?? newId();
    const project: ProjectRecord = { id, path, name: basename(path) || path, addedAt: clock.now() };
    await commitNow(
      store,
      (data) => ({ projects: [...data.projects, project], removed: without(data.removed, id) }),
      (data) => ({
        projects: without(data.projects, id),
        removed: former === undefined ? data.removed : [...data.removed, former],
      }),
    );
    changed();
    return project;
  }

  return {
    async addProject(input) {
      const path = await resolveProjectPath(input, options);
      const existing = withPath(path);
      if (existing !== undefined) {
        throw new AppError('PROJECT_DUPLICATE', `${path} is already in the sidebar, as "${existing.name}".`, {
          details: { project: existing },
        });
      }
      return add(path);
    },

    async findOrAdd(input) {
      const path = await resolveProjectPath(input, options);
      return withPath(path) ?? add(path);
    },

    async removeProject(projectId) {
      const project = withId(projectId);
      if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
      const before = store.read().projects;
      await commitNow(
        store,
        (data) => ({
          projects: without(data.projects, projectId),
          removed: [...data.removed, { id: projectId, path: project.path }],
        }),
        (data) => ({
          projects: inOrderOf(before, [...data.projects, project]),
          removed: without(data.removed, projectId),
        }),
      );
      changed();
    },

    async decideTrust(projectId, trusted, allowed) {
      const before = withId(projectId);
      if (before === undefined) throw new AppError('PROJECT_NOT_FOUND');
      const decision = { trusted, allowed: [...allowed], decidedAt: clock.now() };
      const decided = { ...before, decision };
      const put = (project: ProjectRecord) => (data: ProjectsData) => ({
        ...data,
        projects: data.projects.map((other) => (other.id === projectId ? project : other)),
      });
      await commitNow(store, put(decided), put(before));
      return decided;
    },
    noteDirectory(projectId, directory) {
      noted.set(directory, projectId);
    },
    directoriesOf(projectId) {
      const project = withId(projectId);
      const others = [...noted].filter(([directory, id]) => id === projectId && withPath(directory) === undefined);
      return project === undefined ? [] : [project.path, ...others.map(([directory]) => directory)];
    },
    allowedIn(path) {
      const { decision } = withPath(path) ?? withId(noted.get(path) ?? '') ?? {};
      return new Set(decision?.trusted ? decision.allowed : []);
    },
    onChange: (listener) => void listeners.add(listener),
    listProjects: () => store.read().projects,
    getProject: withId,
    findByPath: async (path) => withPath(await resolveProjectPath(path, options)),
  };
}

function without<T extends { id: string }>(list: readonly T[], id: string): T[] {
  return list.filter((entry) => entry.id !== id);
}

/** Restores the previous order; projects added meanwhile come last. */
function inOrderOf(before: readonly ProjectRecord[], projects: readonly ProjectRecord[]): ProjectRecord[] {
  const place = ({ id }: ProjectRecord) => {
    const index = before.findIndex((project) => project.id === id);
    return index === -1 ? before.length : index;
  };
  return projects.toSorted((a, b) => place(a) - place(b));
}
