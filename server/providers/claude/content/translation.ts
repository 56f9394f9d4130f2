import type { StreamAction } from '../../../streaming/stream-actions.ts';

/** The result of translating a native event: the next state and the actions for the core. */
export interface Translation<S> {
  readonly state: S;
  readonly actions: readonly StreamAction[];
}

export const translation = <S>(state: S, ...actions: readonly StreamAction[]): Translation<S> => ({ state, actions });

/** Translates events one after the other, passing the state along. */
export function translateAll<S, T>(state: S, events: readonly T[], translate: (state: S, event: T) => Translation<S>) {
  return events.reduce<Translation<S>>(
    (sofar, event) => {
      const next = translate(sofar.state, event);
      return { state: next.state, actions: [...sofar.actions, ...next.actions] };
    },
    { state, actions: [] },
  );
}
