import type { ProjectMatch } from '../state/selectors.ts';

/** Projects that are drawn before "Show more" is clicked, and that each click adds. */
const STEP = 100;

/** Which projects of a long list are drawn. The others are a click or a word in the filter away. */
export interface ShownProjects {
  /** The first of them, and those that must be visible, in the same order. */
  of(matches: readonly ProjectMatch[], isNeeded: (match: ProjectMatch) => boolean): readonly ProjectMatch[];
  /** Draws this project from now on, wherever it is in the list. */
  reveal(projectId: string): void;
  showMore(): void;
  /** The list is another one. */
  reset(): void;
}

export function createShownProjects(): ShownProjects {
  const revealed = new Set<string>();
  let count = STEP;

  return {
    of(matches, isNeeded) {
      if (matches.length <= count) return matches;
      return matches.filter((match, index) => index < count || revealed.has(match.project.id) || isNeeded(match));
    },
    reveal: (projectId) => void revealed.add(projectId),
    showMore() {
      count += STEP;
    },
    reset() {
      count = STEP;
    },
  };
}
