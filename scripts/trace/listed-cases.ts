/** A section of docs/cases.md. */
export interface CaseSection {
  readonly title: string;
  /** Some of its tests are not written yet; a missing one is no failure. */
  readonly inProgress: boolean;
  readonly ids: readonly string[];
}

const IN_PROGRESS = ' (in progress)';

/** Reads the sections of docs/cases.md: `## Title`, then table rows that begin with a case id in backticks. */
export function readCaseSections(markdown: string): CaseSection[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const heading = section.split('\n', 1)[0] ?? '';
      return {
        title: heading.replace(IN_PROGRESS, ''),
        inProgress: heading.endsWith(IN_PROGRESS),
        ids: [...section.matchAll(/^\| `([a-z]+\/[a-z-]+)` \|/gm)].map(([, id = '']) => id),
      };
    });
}

/** The case ids with which a title or the title of a group around it begins: `engine/seq engine/from numbers …`. */
export function leadingCaseIds(name: string): string[] {
  return name.split(' > ').flatMap((title) => {
    const [ids = ''] = /^(?:[a-z]+\/[a-z-]+,? )+/.exec(`${title} `) ?? [];
    return ids.split(/,? /).filter(Boolean);
  });
}
