import type { AgentSession } from './agent-session.ts';
import type { ProcessKeeper } from './process-keeper.ts';
import type { ProjectGate } from './project-gate.ts';
import type { Spare } from './spare.ts';

export interface FollowTrustOptions {
  readonly projectDir: string;
  readonly gate: ProjectGate;
  readonly label: string;
  readonly sessions: readonly { readonly session: AgentSession; readonly keeper: ProcessKeeper }[];
  readonly spare?: Spare | undefined;
}

/**
 * Ends the processes of a directory that were started under other conditions than those of now. Resolves to whether a
 * session was ended because of settings that are not trusted.
 */
export async function followTrust(options: FollowTrustOptions): Promise<boolean> {
  const { projectDir, gate, label, sessions, spare } = options;
  let isWithdrawn = false;
  const concerned = sessions.filter(({ session }) => session.target().projectDir === projectDir);
  const isSpareConcerned = spare?.isFor(projectDir) ?? false;
  if (concerned.length === 0 && !isSpareConcerned) return false;
  const admission = await gate.admit(projectDir).catch(() => ({ withProjectSettings: false }));
  const may = admission.withProjectSettings;
  await Promise.all([...concerned.map(follow), isSpareConcerned && spare?.follow(admission)]);
  return isWithdrawn;

  async function follow({ session, keeper }: (typeof concerned)[number]): Promise<void> {
    // A shared process has loaded the settings of every session that is open in it.
    const has = keeper.running?.withProjectSettings ?? session.isAlive();
    if (may && !has && session.isIdle()) {
      session.notify(`This directory is trusted now: ${label} was started again, with its settings.`);
      await session.sleep('the directory is trusted now');
    } else if (has && !may) {
      isWithdrawn = true;
      session.notify(`This directory is not trusted: ${label} was ended, because it had loaded its settings.`);
      await session.cancel();
      await session.sleep('the directory is not trusted');
    }
  }
}
