import type { CommandOutput } from '../../../shared/commands.ts';
import { h, placeChildren } from '../../shared/dom.ts';
import { relativeTime } from '../sidebar/relative-time.ts';

export type OfferedDirectory = CommandOutput<'directory:with-sessions'>['directories'][number];

/** Directories in which agents were used in a terminal, above the completions of what is typed. */
export interface OfferedDirectories {
  readonly element: HTMLElement;
  readonly list: HTMLElement;
  set(directories: readonly OfferedDirectory[]): void;
  /** The paths that match what is typed, in the order in which they are shown. */
  matching(typed: string): readonly string[];
  /** Shows those that match. `chosen` is one of them, or undefined. */
  render(typed: string, chosen: string | undefined, onTake: (event: Event, path: string) => void): void;
}

export function createOfferedDirectories(now: () => number): OfferedDirectories {
  const list = h('ul', { role: 'listbox', id: 'path-offered', 'aria-label': 'Directories used in a terminal' });
  const element = h('div', { class: 'offered', hidden: true }, h('p', {}, 'Used in a terminal'), list);
  let directories: readonly OfferedDirectory[] = [];

  function matches(typed: string): readonly OfferedDirectory[] {
    // The home directory is not known here: what follows it is looked for anywhere.
    const wanted = typed.trim().replace(/^~/, '').toLowerCase();
    return directories.filter(
      ({ path }) => path.toLowerCase().includes(wanted) && path !== typed && `${path}/` !== typed,
    );
  }

  return {
    element,
    list,
    set(next) {
      directories = next;
    },
    matching: (typed) => matches(typed).map(({ path }) => path),
    render(typed, chosen, onTake) {
      const shown = matches(typed);
      element.hidden = shown.length === 0;
      placeChildren(
        list,
        shown.map((directory, index) => {
          const { path, sessions, lastActiveAt } = directory;
          const used = `${sessions === 1 ? '1 session' : `${sessions.toLocaleString('en')} sessions`}, ${relativeTime(lastActiveAt, now())}`;
          return h(
            'li',
            {
              class: 'option',
              role: 'option',
              id: `path-offered-${index}`,
              title: path,
              'aria-selected': path === chosen,
              on: { mousedown: (event) => onTake(event, path) },
            },
            h('span', { class: 'option-path' }, path),
            h('span', { class: 'option-used' }, used),
          );
        }),
      );
    },
  };
}
