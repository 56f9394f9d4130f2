import { z } from 'zod';
import { contextSchema, holderSchema } from '../../../shared/entities.ts';
import type { ErrorBody } from '../../../shared/errors.ts';
import type { PortletToShell, ShellToPortlet } from '../../../shared/portlet-messages.ts';
import type { Environment } from '../base/environment.ts';
import { createBranchOffer } from '../branches/branch-offer.ts';
import { createForkRequests } from '../branches/fork-requests.ts';
import type { Composer } from '../composer/composer.ts';
import { createContextQuestion, type UncertainState } from '../context/context-question.ts';
import { createHeldSession } from '../holder/held-session.ts';
import type { PageStatus } from '../status/page-status.ts';
import type { NewMessage } from './sends.ts';

type MessageOf<T extends ShellToPortlet['type']> = Extract<ShellToPortlet, { type: T }>;

export interface ContinuityOptions {
  readonly sessionId: string;
  readonly env: Environment;
  readonly status: Pick<PageStatus, 'state' | 'change' | 'announce'>;
  readonly composer: () => Composer;
  readonly post: (message: PortletToShell) => void;
  readonly send: (message: NewMessage) => void;
  readonly follow: () => void;
  readonly isWorking: () => boolean;
  /** Shown below the conversation. */
  readonly tail: HTMLElement;
}

/** Other programs that use the same conversation, what the model has of it, and its other branches. */
export interface Continuity {
  /** Above the message field. */
  readonly elements: readonly HTMLElement[];
  /** Takes a message of the user, or returns why it cannot be sent now. */
  send(content: string): string | undefined;
  isHeld(): boolean;
  info(info: MessageOf<'session:info'>): void;
  snapshot(history: MessageOf<'session:history'>): void;
  /** What to say beside a message that the server refused and that goes back into the field. */
  explain(error: ErrorBody): string;
  /** A refused message is back in the field: shows what it takes to send it. */
  refused(error: ErrorBody): void;
  forkFailed(error: ErrorBody): void;
  /** The user is back on this page. */
  shown(): void;
  /** The connection or the turns may have changed. */
  update(): void;
}

const uncertainSchema = z.object({ context: contextSchema });
const heldSchema = z.object({ heldBy: holderSchema });

export function createContinuity(options: ContinuityOptions): Continuity {
  const { status, composer, env, post } = options;
  const forks = createForkRequests(post);
  const branches = createBranchOffer({ now: env.now, forks });
  options.tail.append(branches.element);
  /** What the user was told of the context, and sends nevertheless. */
  let accepted: UncertainState | undefined;

  const held = createHeldSession({
    sessionId: options.sessionId,
    env,
    fork: forks.button('Fork here'),
    composer,
    holder: () => status.state().heldBy,
    isReady: () => status.state().connection === 'connected' && !status.state().isLoading && !options.isWorking(),
    send: (message) => deliver(message),
    follow: options.follow,
    announce: status.announce,
  });
  const question = createContextQuestion({
    onSend(state) {
      accepted = state;
      composer().focus();
      composer().submit();
    },
    onKeep: () => composer().focus(),
  });

  function deliver(message: NewMessage): void {
    question.close();
    options.send({ ...message, ...(accepted && { accept: accepted }) });
  }

  function forgetAnswer(): void {
    const { context } = status.state();
    if (context === undefined || context.state === accepted) return;
    accepted = undefined;
  }

  return {
    elements: [question.element, held.element],
    isHeld: held.isHeld,
    send(content) {
      if (held.isHeld()) return held.keep(content);
      deliver({ content });
      return undefined;
    },
    info({ heldBy, context = status.state().context }) {
      status.change({ heldBy, context });
      forgetAnswer();
      held.update();
    },
    snapshot({ heldBy = status.state().heldBy, context = status.state().context, branches: found }) {
      status.change({ heldBy, context });
      forgetAnswer();
      branches.update(found ?? []);
      held.update();
    },
    explain(error) {
      return contextOf(error) === undefined ? error.message : '';
    },
    refused(error) {
      const holder = error.code === 'SESSION_IN_USE' ? heldSchema.safeParse(error.details) : undefined;
      if (holder?.success) status.change({ heldBy: holder.data.heldBy });
      held.update();
      const context = contextOf(error);
      if (context === undefined) return;
      status.change({ context });
      question.ask(context.state === 'reset' ? 'reset' : 'unknown', context);
    },
    forkFailed(error) {
      forks.ended();
      composer().showProblem(error.message);
    },
    shown: forks.ended,
    update: held.update,
  };
}

/** Why the server wants to be told that the user knows of it. */
function contextOf({ code, details }: ErrorBody) {
  if (code !== 'CONTEXT_UNCERTAIN') return undefined;
  const parsed = uncertainSchema.safeParse(details);
  return parsed.success ? parsed.data.context : ({ state: 'unknown' } as const);
}
