import '../holder/holder.css';
import '../context/context.css';
import '../branches/branches.css';
import type { Branch } from '../../../shared/entities.ts';
import type { ErrorBody } from '../../../shared/errors.ts';
import { createBranchOffer } from '../branches/branch-offer.ts';
import { createForkRequests } from '../branches/fork-requests.ts';
import { createContextQuestion, type UncertainState } from '../context/context-question.ts';
import { createContextReceipt } from '../context/context-receipt.ts';
import { contextOf } from '../context/context-refusal.ts';
import { createHeldSession } from '../holder/held-session.ts';
import type { ContinuityOptions } from './continuity-options.ts';
import type { NewMessage } from './sends.ts';

export type ContinuityParts = ReturnType<typeof createContinuityParts>;

/** What `Continuity` shows. Loaded when there is something to show. */
export function createContinuityParts(options: ContinuityOptions) {
  const { status, composer, env, post, places } = options;
  const forks = createForkRequests(post);
  const branches = createBranchOffer({ now: env.now, forks });
  const receipt = createContextReceipt({
    now: env.now,
    onOpen: (sessionId) => post({ type: 'session:open', sessionId }),
  });
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
  places.above.append(question.element, held.element);
  places.receipt.append(receipt.toggle);
  places.note.append(receipt.note);
  places.tail.append(branches.element);

  function deliver(message: NewMessage): void {
    question.close();
    options.send({ ...message, ...(accepted && { accept: accepted }) });
  }

  function drawContext(): void {
    const { context, info, isLoading } = status.state();
    if (context !== undefined && context.state !== accepted) accepted = undefined;
    receipt.update(isLoading ? undefined : context, info?.origin);
  }

  return {
    /** Takes a message, or returns why it cannot be sent now. */
    send(content: string): string | undefined {
      if (held.isHeld()) return held.keep(content);
      deliver({ content });
      return undefined;
    },
    update(found: readonly Branch[]): void {
      drawContext();
      branches.update(found);
      held.update();
    },
    /** A message was refused with this error and is back in the field. */
    ask(error: ErrorBody): void {
      const context = contextOf(error);
      if (context === undefined) return;
      composer().showProblem('');
      question.ask(context.state === 'reset' ? 'reset' : 'unknown', context);
    },
    forksEnded: forks.ended,
  };
}
