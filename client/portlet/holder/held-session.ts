import type { Holder } from '../../../shared/entities.ts';
import type { Environment } from '../base/environment.ts';
import type { Composer } from '../composer/composer.ts';
import { createHolderBar, describeHolder, nameOf } from './holder-bar.ts';
import { createWaiting } from './waiting-message.ts';

export interface HeldSessionOptions {
  readonly sessionId: string;
  readonly env: Pick<Environment, 'now' | 'newId' | 'storage'>;
  readonly fork: HTMLButtonElement;
  readonly composer: () => Pick<Composer, 'giveBack' | 'focus' | 'setPlaceholder'>;
  readonly holder: () => Holder | undefined;
  /** The page is connected, has the conversation, and no turn runs. */
  readonly isReady: () => boolean;
  readonly send: (message: { readonly turnId: string; readonly content: string }) => void;
  readonly follow: () => void;
  readonly announce: (text: string) => void;
}

/** A session that another program has open: it is followed here, and a message waits until that program ends. */
export interface HeldSession {
  readonly element: HTMLElement;
  /** No message can be sent now. */
  isHeld(): boolean;
  /** Keeps a message until it can be sent. Returns why not, if that is not wanted. */
  keep(content: string): string | undefined;
  /** The holder, the connection or the turns may have changed. */
  update(): void;
}

/** A message from before a refresh that is older is not sent just because its session is looked at again. */
const MAX_AGE_MS = 10 * 60_000;

const ENDED = 'This session is no longer open in another program.';
const TOO_OLD = 'The other program has ended. This message was not sent. Send it again if you still want to.';
const ONE_WAITS = 'Not sent: another message already waits. Withdraw it first.';

export function createHeldSession(options: HeldSessionOptions): HeldSession {
  const { env, composer, holder } = options;
  const waiting = createWaiting(env.storage, options.sessionId);
  /** When the message was written, if that was before a refresh. */
  let restoredAt = waiting.get().message?.at;
  let announced: string | undefined;

  const bar = createHolderBar({
    fork: options.fork,
    onFollow: options.follow,
    onTakeOver(takesOver) {
      if (takesOver) waiting.set({ ...waiting.get(), takesOver });
      else giveBack('');
      draw();
      if (takesOver) composer().focus();
    },
    onWithdraw() {
      giveBack('');
      waiting.set({ takesOver: true });
      draw();
    },
    onFocusLost: () => composer().focus(),
  });

  const isHeld = (): boolean => holder()?.certain === true;

  function giveBack(reason: string): void {
    const { message } = waiting.get();
    waiting.clear();
    restoredAt = undefined;
    if (message !== undefined) composer().giveBack(message.content, reason);
  }

  function draw(): void {
    bar.update({ holder: holder(), waiting: waiting.get() }, env.now());
    composer().setPlaceholder(placeholder());
  }

  function placeholder(): string {
    if (!isHeld()) return 'Message';
    const name = nameOf(holder());
    return waiting.get().takesOver ? `Message (sent when ${name} ends)` : `Message (${name} has this session open)`;
  }

  function announce(): void {
    const current = holder();
    const key = current && `${current.certain} ${current.tty} ${current.pid}`;
    if (key === announced) return;
    announced = key;
    options.announce(current === undefined ? ENDED : `${describeHolder(current, env.now())}.`);
  }

  /** The other program has ended. */
  function takeOver(): void {
    const { message } = waiting.get();
    const isOld = restoredAt !== undefined && env.now() - restoredAt > MAX_AGE_MS;
    if (message === undefined) waiting.clear();
    else if (isOld) giveBack(TOO_OLD);
    else {
      waiting.clear();
      restoredAt = undefined;
      options.send(message);
    }
  }

  return {
    element: bar.element,
    isHeld,
    keep(content) {
      const name = nameOf(holder());
      if (!waiting.get().takesOver)
        return `Not sent: ${name} has this session open. Fork it, or take over when it ends.`;
      if (waiting.get().message !== undefined) return ONE_WAITS;
      waiting.set({ takesOver: true, message: { turnId: env.newId(), content, at: env.now() } });
      draw();
      return undefined;
    },
    update() {
      announce();
      if (!isHeld() && waiting.get().takesOver && options.isReady()) takeOver();
      draw();
    },
  };
}
