/** What an agent asks permission for, in terms that fit every agent. */
export interface PermissionRequest {
  readonly sessionId: string;
  readonly toolName: string;
  readonly title?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type PermissionDecision =
  | { readonly allow: true }
  /** `reason` reaches the model as the tool's error. */
  | { readonly allow: false; readonly reason: string };

export type DecidePermission = (request: PermissionRequest) => Promise<PermissionDecision>;

/**
 * The one place where permissions are decided, for every agent. Requests are allowed without asking, and the page says
 * so; what the user's own settings deny never arrives here.
 */
export const decidePermission: DecidePermission = async () => ({ allow: true });
