import type { StreamAction } from '../../../streaming/stream-actions.ts';

/** What a native event comes to: the state after it and what the core is asked to do. */
export interface Translation<S> {
  readonly state: S;
  readonly actions: readonly StreamAction[];
}

export const translation = <S>(state: S, ...actions: readonly StreamAction[]): Translation<S> => ({ state, actions });

/** One translation after another, each on the state that the one before left. */
export function translateAll<S, T>(state: S, events: readonly T[], translate: (state: S, event: T) => Translation<S>) {
  return events.reduce<Translation<S>>(
    (sofar, event) => {
      const next = translate(sofar.state, event);
      return { state: next.state, actions: [...sofar.actions, ...next.actions] };
    },
    { state, actions: [] },
  );
}
