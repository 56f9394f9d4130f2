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

export function createProjectTrust({ projects, agents, onChange }: ProjectTrustDeps): ProjectTrust {
  /** What was announced last, to tell all windows only what changed. */
  const announced = new Map<string, string>();

  async function findIn(projectDir: string): Promise<readonly Finding[]> {
    const found = (await Promise.all(agents().map(({ whatRuns }) => whatRuns(projectDir)))).flat();
    return [...new Map(found.map((each) => [each.id, each])).values()];
  }

  function recordOf(projectId: string): ProjectRecord {
    const record = projects.getProject(projectId);
    if (record === undefined) throw new AppError('PROJECT_NOT_FOUND');
    return record;
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

  return {
    describe,
    look: async (projectId) => describe(recordOf(projectId)),
    async decide(projectId, trusted, seen) {
      const { path } = recordOf(projectId);
      const findings = await findIn(path);
      const shown = findings.map(({ id }) => id).filter((id) => seen?.includes(id) ?? true);
      const record = await projects.decideTrust(projectId, trusted, trusted ? shown : []);
      await Promise.all(agents().map((agent) => agent.followTrust(path)));
      return note(view(record, findings), false);
    },
    async check(projectId, ask = false) {
      const record = projects.getProject(projectId);
      if (record === undefined) return;
      const project = await describe(record);
      if (ask && project.trust === 'unknown' && project.wouldRun.length > 0) {
        throw new AppError('PROJECT_NOT_TRUSTED', undefined, { details: { project } });
      }
      await Promise.all(agents().map((agent) => agent.followTrust(record.path)));
    },
    async explain(projectId, error) {
      const record = projects.getProject(projectId);
      if (!(error instanceof AppError) || error.code !== 'PROJECT_NOT_TRUSTED' || record === undefined) return error;
      const project = await describe(record);
      return new AppError(error.code, error.message, { details: { project }, cause: error });
    },
  };
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
