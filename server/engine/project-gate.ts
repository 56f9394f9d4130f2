import type { WhatRuns } from '../trust/index.ts';
import type { AgentProcess, Driver } from './driver.ts';
import { ProviderError } from './provider-errors.ts';

export interface ProjectGate {
  /**
   * Looks at a directory and decides how a process may start there: with the directory's own settings, or without.
   * Rejects with PROJECT_NOT_TRUSTED if only starting with them is possible and they are not trusted.
   */
  admit(projectDir: string): Promise<Admission>;
}

export interface Admission {
  readonly withProjectSettings: boolean;
}

/** The ids of what the user allowed to run in a directory. */
export type AllowedIn = (projectDir: string) => ReadonlySet<string>;

export function createProjectGate(driver: Driver, allowedIn: AllowedIn): ProjectGate {
  const whatRuns: WhatRuns = driver.whatRuns;
  return {
    async admit(projectDir) {
      const findings = await whatRuns(projectDir);
      const allowed = allowedIn(projectDir);
      const refused = findings.filter(({ id }) => !allowed.has(id));
      if (refused.length === 0) return { withProjectSettings: true };
      if (driver.traits.leavesOutProjectSettings) return { withProjectSettings: false };
      throw new ProviderError(
        'PROJECT_NOT_TRUSTED',
        `${driver.label} would load this directory's own settings, which are not trusted (${describe(refused)}). Look at the list and trust the directory, then try again.`,
        { details: { projectDir } },
      );
    },
  };
}

/**
 * The driver with every way into a directory guarded: no process starts there and no session is opened there before the
 * gate has looked.
 */
export function guardDriver(driver: Driver, gate: ProjectGate): Driver {
  const { readAccess } = driver;
  return {
    ...driver,
    ...(readAccess && {
      async readAccess(session) {
        const admission = await gate.admit(session.projectDir).catch(() => undefined);
        return readAccess({ ...session, withoutProjectSettings: admission?.withProjectSettings !== true });
      },
    }),
    async launch(session, signal) {
      if (session === undefined) return guardProcess(await driver.launch(undefined, signal), gate);
      const { withProjectSettings } = await gate.admit(session.projectDir);
      signal.throwIfAborted();
      const process = await driver.launch({ ...session, withoutProjectSettings: !withProjectSettings }, signal);
      return { ...process, withProjectSettings };
    },
  };
}

/** A shared process loads the settings of a directory when a session is opened there. */
function guardProcess(process: AgentProcess, gate: ProjectGate): AgentProcess {
  return {
    ...process,
    async open(request) {
      await gate.admit(request.projectDir);
      return process.open(request);
    },
  };
}

function describe(findings: readonly { readonly name: string; readonly file: string }[]): string {
  const [first] = findings;
  const more = findings.length - 1;
  return `${first?.name} in ${first?.file}${more === 0 ? '' : ` and ${more} more`}`;
}
