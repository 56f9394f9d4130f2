import { z } from 'zod';
import { type Project, projectSchema } from '../../../shared/entities.ts';
import type { CliType } from '../../../shared/ids.ts';
import type { Outcome } from '../server/outcome.ts';
import type { ServerSocket } from '../server/socket.ts';
import type { ConfirmQuestion } from '../widgets/confirm-dialog.ts';
import type { Notices } from '../widgets/notices.ts';
import type { TrustAnswer, TrustQuestion } from '../widgets/trust-dialog.ts';
import { withFrame } from './changes.ts';
import { agentLabel } from './selectors.ts';
import type { Store } from './store.ts';

export interface TrustActionsOptions {
  readonly store: Store;
  readonly socket: Pick<ServerSocket, 'request'>;
  readonly askTrust: (question: TrustQuestion) => Promise<TrustAnswer>;
  readonly confirm: (question: ConfirmQuestion) => Promise<boolean>;
  readonly notices: Notices;
}

export type TrustActions = ReturnType<typeof createTrustActions>;

const refusalSchema = z.object({ project: projectSchema });

export function createTrustActions({ store, socket, askTrust, confirm, notices }: TrustActionsOptions) {
  async function decide(project: Project, trusted: boolean): Promise<boolean> {
    const seen = project.wouldRun.map(({ id }) => id);
    const outcome = await socket.request('project:trust', { projectId: project.id, trusted, seen });
    if (outcome.ok) store.update(withFrame({ type: 'project:changed', ...outcome.value }));
    else notices.error(outcome.error.message);
    return outcome.ok;
  }

  /** Resolves to false if the user cancelled. */
  async function ask(project: Project, canContinueWithout: boolean): Promise<boolean> {
    const labelOf = (cliType: string) => agentLabel(store.get(), cliType);
    const answer = await askTrust({ project, labelOf, canContinueWithout });
    return answer !== 'cancel' && decide(project, answer === 'trust');
  }

  function canLeaveOut(cliType: CliType, { wouldRun }: Project): boolean {
    const provider = store.get().providers?.find((each) => each.cliType === cliType);
    return provider?.leavesOutProjectSettings === true || !wouldRun.some((entry) => entry.cliType === cliType);
  }

  return {
    /**
     * Makes a call that needs an agent. If the directory is not trusted, asks the user and makes the call again.
     * Undefined: the user cancelled.
     */
    async withTrust<T>(cliType: CliType, call: () => Promise<Outcome<T>>): Promise<Outcome<T> | undefined> {
      for (;;) {
        const outcome = await call();
        if (outcome.ok || outcome.error.code !== 'PROJECT_NOT_TRUSTED') return outcome;
        const refusal = refusalSchema.safeParse(outcome.error.details);
        if (!refusal.success) return outcome;
        const { project } = refusal.data;
        if (!(await ask(project, project.trust === 'unknown' && canLeaveOut(cliType, project)))) return undefined;
      }
    },

    /** Shows what a directory would run and asks whether to trust it. */
    async trust(projectId: string): Promise<void> {
      const looked = await socket.request('project:look', { projectId });
      if (looked.ok) await ask(looked.value.project, false);
      else notices.error(looked.error.message);
    },

    async withdrawTrust(projectId: string): Promise<void> {
      const project = store.get().projects?.find(({ id }) => id === projectId);
      if (project === undefined) return;
      const yes = await confirm({
        title: `Withdraw trust in ${project.name}?`,
        body: 'Agents that have loaded its settings are ended now, with their running turns. Its sessions stay.',
        confirm: 'Withdraw trust',
      });
      if (yes) await decide(project, false);
    },
  };
}
