import type { Project, Trust, WouldRun } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { Finding, WhatRuns } from '../trust/index.ts';
import type { ProjectRecord, ProjectStore } from './project-store.ts';

/** An agent that reads settings of a directory. */
export interface TrustingAgent {
  readonly whatRuns: WhatRuns;
  /**
   * Makes its processes in this directory follow what is trusted now. Resolves when no process is left that should not
   * have loaded what it has.
   */
  followTrust(projectDir: string): Promise<void>;
}

export interface ProjectTrustDeps {
  readonly projects: ProjectStore;
  readonly agents: () => readonly TrustingAgent[];
  /** Called when a look at a directory found something else than the look before. */
  readonly onChange: (project: Project) => void;
}

/** What may run in which project. Every answer comes from a look at the directory; nothing is remembered for a start. */
export interface ProjectTrust {
  /** The project as clients see it. */
  describe(record: ProjectRecord): Promise<Project>;
  /**
   * All projects. The first ones are looked at now. Of the others it has what the last look found; they are looked at
   * later, and `onChange` is called for what is different.
   */
  list(): Promise<Project[]>;
  /** Rejects with PROJECT_NOT_FOUND. */
  look(projectId: string): Promise<Project>;
  /** Rejects with PROJECT_NOT_FOUND or STORAGE_FAILED. `seen`: what the user was shown; the rest stays unknown. */
  decide(projectId: string, trusted: boolean, seen?: readonly string[]): Promise<Project>;
  /**
   * Looks at the directory before a message goes out, and ends processes that have loaded what is not trusted.
   * Rejects with PROJECT_NOT_TRUSTED (details: the project) if `ask` is set and the user has not decided yet.
   */
  check(projectId: string, ask?: boolean): Promise<void>;
  /** Adds the project to the details of a refusal by an agent, so that the user can be asked. */
  explain(projectId: string, error: unknown): Promise<unknown>;
}

/** A look takes about a millisecond, so a long list must not wait for all of them. */
const LOOKED_AT_NOW = 100;
const LOOKS_AT_ONCE = 4;

export function createProjectTrust({ projects, agents, onChange }: ProjectTrustDeps): ProjectTrust {
  /** What was announced last, to tell all windows only what changed. */
  const announced = new Map<string, string>();
  const lastLooks = new Map<string, readonly Finding[]>();
  let isLookingAtRest = false;

  async function findIn(projectDir: string): Promise<readonly Finding[]> {
    const found = (await Promise.all(agents().map(({ whatRuns }) => whatRuns(projectDir)))).flat();
    const unique = [...new Map(found.map((each) => [each.id, each])).values()];
    lastLooks.set(projectDir, unique);
    return unique;
  }

  function recordOf(projectId: string): ProjectRecord {
    const record = projects.getProject(projectId);
    if (record === undefined) throw new AppError('PROJECT_NOT_FOUND');
    return record;
  }

  async function followIn(projectId: string): Promise<void> {
    const directories = projects.directoriesOf(projectId);
    await Promise.all(agents().flatMap((agent) => directories.map((directory) => agent.followTrust(directory))));
  }

  function view({ decision, ...facts }: ProjectRecord, findings: readonly Finding[]): Project {
    const allowed = new Set(decision?.allowed);
    const wouldRun = findings.map(({ isRefused: _, ...entry }): WouldRun => {
      return decision?.trusted && !allowed.has(entry.id) ? { ...entry, isNew: true } : entry;
    });
    return { ...facts, trust: trustOf(decision, findings, wouldRun), wouldRun };
  }

  function note(project: Project, tell: boolean): Project {
    const state = `${project.trust} ${project.wouldRun.map(({ id }) => id).join(' ')}`;
    const before = announced.get(project.id);
    announced.set(project.id, state);
    if (tell && before !== undefined && before !== state) onChange(project);
    return project;
  }

  async function describe(record: ProjectRecord): Promise<Project> {
    return note(view(record, await findIn(record.path)), true);
  }

  async function lookAtRest(records: readonly ProjectRecord[]): Promise<void> {
    if (isLookingAtRest) return;
    isLookingAtRest = true;
    await atMost(LOOKS_AT_ONCE, records, async ({ id }) => {
      const record = projects.getProject(id);
      if (record !== undefined) await describe(record);
    });
    isLookingAtRest = false;
  }

  return {
    describe,
    async list() {
      const records = projects.listProjects();
      const now = await atMost(LOOKS_AT_ONCE, records.slice(0, LOOKED_AT_NOW), describe);
      const rest = records.slice(LOOKED_AT_NOW);
      void lookAtRest(rest);
      return [...now, ...rest.map((record) => note(view(record, lastLooks.get(record.path) ?? []), false))];
    },
    look: async (projectId) => describe(recordOf(projectId)),
    async decide(projectId, trusted, seen) {
      const { path } = recordOf(projectId);
      const findings = await findIn(path);
      const shown = findings.map(({ id }) => id).filter((id) => seen?.includes(id) ?? true);
      const record = await projects.decideTrust(projectId, trusted, trusted ? shown : []);
      await followIn(projectId);
      return note(view(record, findings), false);
    },
    async check(projectId, ask = false) {
      const record = projects.getProject(projectId);
      if (record === undefined) return;
      const project = await describe(record);
      if (ask && project.trust === 'unknown' && project.wouldRun.length > 0) {
        throw new AppError('PROJECT_NOT_TRUSTED', undefined, { details: { project } });
      }
      await followIn(projectId);
    },
    async explain(projectId, error) {
      const record = projects.getProject(projectId);
      if (!(error instanceof AppError) || error.code !== 'PROJECT_NOT_TRUSTED' || record === undefined) return error;
      const project = await describe(record);
      return new AppError(error.code, error.message, { details: { project }, cause: error });
    },
  };
}

/** Runs `work` for each item, at most `limit` at a time, and resolves to the results in order. */
async function atMost<T, R>(limit: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()].reverse();
  async function run(): Promise<void> {
    for (let next = left.pop(); next !== undefined; next = left.pop()) results[next[0]] = await work(next[1]);
  }
  await Promise.all(Array.from({ length: limit }, run));
  return results;
}

function trustOf(
  decision: ProjectRecord['decision'],
  findings: readonly Finding[],
  wouldRun: readonly WouldRun[],
): Trust {
  if (decision === undefined) return findings.some(({ isRefused }) => isRefused) ? 'untrusted' : 'unknown';
  if (!decision.trusted) return 'untrusted';
  return wouldRun.some(({ isNew }) => isNew) ? 'unknown' : 'trusted';
}
