import type { AppendMessage, EventMessage } from '../../shared/events.ts';
import type { Subscription } from '../../shared/messages.ts';
import type { Clock } from '../clock.ts';
import { lazyFrame } from './frame.ts';
import { createWholeTexts } from './whole-texts.ts';
import type { Window } from './window.ts';

/** The windows that subscribed to one session. An event is serialised once for all of them in each of its forms. */
export interface Audience {
  /** `after`: the number of the last event that the window has. `begin` is called unless it subscribed before. */
  add(window: Window, subscription: Subscription, after: number, begin: () => () => void): void;
  remove(window: Window): void;
  isEmpty(): boolean;
  /** `append`: the same event for windows that take appends. */
  announce(message: EventMessage, append: AppendMessage | undefined): void;
  /** All windows get a snapshot with this number now. Returns them. */
  restart(asOf: number): readonly (readonly [Window, Subscription])[];
  close(): void;
}

interface Watcher {
  readonly subscription: Subscription;
  readonly after: number;
  readonly end: () => void;
}

export function createAudience(clock: Clock): Audience {
  const watchers = new Map<Window, Watcher>();

  const wholeTexts = createWholeTexts(clock, ({ message, frame }) => {
    for (const [window, { subscription, after }] of watchers) {
      // It may have waited while a window joined that has it already.
      const isNew = !('seq' in message) || message.seq > after;
      if (!subscription.appends && isNew) window.send(frame());
    }
  });

  const takesWhole = () => [...watchers.values()].some(({ subscription }) => !subscription.appends);

  return {
    add(window, subscription, after, begin) {
      watchers.set(window, { subscription, after, end: watchers.get(window)?.end ?? begin() });
      if (!takesWhole()) wholeTexts.clear();
    },
    remove(window) {
      watchers.get(window)?.end();
      watchers.delete(window);
      if (!takesWhole()) wholeTexts.clear();
    },
    isEmpty: () => watchers.size === 0,
    announce(message, append) {
      const frame = lazyFrame(message);
      const forAppends = append === undefined ? frame : lazyFrame(append);
      for (const [window, { subscription }] of watchers) if (subscription.appends) window.send(forAppends());
      if (takesWhole()) wholeTexts.add({ message, frame }, append !== undefined && append.end === undefined);
    },
    restart(asOf) {
      wholeTexts.clear();
      for (const [window, watcher] of watchers) watchers.set(window, { ...watcher, after: asOf });
      return [...watchers].map(([window, { subscription }]) => [window, subscription] as const);
    },
    close: wholeTexts.clear,
  };
}
