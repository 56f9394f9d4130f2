import { z } from 'zod';
import { type Branch, holderSchema } from '../../../shared/entities.ts';
import type { ErrorBody } from '../../../shared/errors.ts';
import type { ShellToPortlet } from '../../../shared/portlet-messages.ts';
import { contextOf } from '../context/context-refusal.ts';
import { waitingKey } from '../holder/waiting-key.ts';
import type { ContinuityOptions } from './continuity-options.ts';
import type { ContinuityParts } from './continuity-parts.ts';

type MessageOf<T extends ShellToPortlet['type']> = Extract<ShellToPortlet, { type: T }>;

/** Other programs that use the same conversation, what the model has of it, and its other branches. */
export interface Continuity {
  /** Takes a message of the user, or returns why it cannot be sent now. */
  send(content: string): string | undefined;
  isHeld(): boolean;
  info(info: MessageOf<'session:info'>): void;
  snapshot(history: MessageOf<'session:history'>): void;
  /** A message was refused and is back in the field: shows what it takes to send it. */
  refused(error: ErrorBody): void;
  forkFailed(error: ErrorBody): void;
  /** The user is back on this page. */
  shown(): void;
  /** The connection or the turns may have changed. */
  update(): void;
}

const HELD = 'Not sent: another program has this session open.';

const heldSchema = z.object({ heldBy: holderSchema });

export function createContinuity(options: ContinuityOptions): Continuity {
  const { status, composer, env } = options;
  let parts: ContinuityParts | undefined;
  let isLoading = false;
  let branches: readonly Branch[] = [];
  let refusal: ErrorBody | undefined;
  /** A message may wait since before a refresh. */
  const hasWaiting = readsWaiting(env.storage, options.sessionId);

  const isHeld = (): boolean => status.state().heldBy?.certain === true;

  /** Not before the first paint: most pages have nothing to show, or only the receipt. */
  async function load(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    try {
      const { createContinuityParts } = await import('./continuity-parts.ts');
      parts = createContinuityParts(options);
    } catch {
      // The server refuses what must not be sent, and says why. The next change tries again.
      isLoading = false;
      return;
    }
    update();
    if (refusal !== undefined) parts.ask(refusal);
  }

  function update(): void {
    const { heldBy, context } = status.state();
    const isNeeded = hasWaiting || branches.length > 0 || (heldBy ?? context ?? refusal) !== undefined;
    if (parts !== undefined) parts.update(branches);
    else if (isNeeded) void load();
  }

  return {
    isHeld,
    update,
    send(content) {
      refusal = undefined;
      if (parts !== undefined) return parts.send(content);
      if (isHeld()) return HELD;
      options.send({ content });
      return undefined;
    },
    info({ heldBy, context = status.state().context, branches: found = [] }) {
      branches = found;
      status.change({ heldBy, context });
      update();
    },
    snapshot({ heldBy = status.state().heldBy, context = status.state().context, branches: found = [] }) {
      branches = found;
      status.change({ heldBy, context });
      update();
    },
    refused(error) {
      const holder = error.code === 'SESSION_IN_USE' ? heldSchema.safeParse(error.details) : undefined;
      if (holder?.success) status.change({ heldBy: holder.data.heldBy });
      const context = contextOf(error);
      if (context !== undefined) status.change({ context });
      refusal = context === undefined ? undefined : error;
      update();
      parts?.ask(error);
    },
    forkFailed(error) {
      parts?.forksEnded();
      composer().showProblem(error.message);
    },
    shown: () => parts?.forksEnded(),
  };
}

function readsWaiting(storage: Storage, sessionId: string): boolean {
  try {
    return storage.getItem(waitingKey(sessionId)) !== null;
  } catch {
    return false;
  }
}
