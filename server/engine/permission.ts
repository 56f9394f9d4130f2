import type { AccessMode } from '../../shared/entities.ts';

/** What an agent asks permission for, in terms that fit every agent. */
export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolName: string;
  readonly title?: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly access: Access;
}

/** How much the user's own settings let an agent do in a session. */
export interface Access {
  readonly mode: AccessMode;
  /** The setting that says so, and its file. */
  readonly chosenBy?: string;
}

export type PermissionDecision =
  | { readonly allow: true }
  /** `reason` reaches the model as the tool's error. */
  | { readonly allow: false; readonly reason: string };

export type DecidePermission = (request: PermissionRequest) => Promise<PermissionDecision>;

export const NORMAL_ACCESS: Access = { mode: 'normal' };

/**
 * The one place where permissions are decided, for every agent. Requests are allowed without asking, and the page says
 * so, except where the user chose a mode in which an agent may not do what it has to ask for.
 */
export const decidePermission: DecidePermission = async ({ access: { mode, chosenBy } }) => {
  if (mode === 'normal') return { allow: true };
  const setting = chosenBy === undefined ? '' : ` (${chosenBy})`;
  const how =
    chosenBy === undefined ? '' : ' To allow it, change that setting; it counts from the next start of the agent.';
  return { allow: false, reason: `${REASONS[mode]}${setting}, so this was not allowed.${how}` };
};

const REASONS: Readonly<Record<Exclude<AccessMode, 'normal'>, string>> = {
  plan: 'Plan mode is on',
  'read-only': 'Read-only mode is on',
  'never-ask': 'Nothing is to be asked',
};
