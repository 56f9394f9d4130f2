import type { SessionListItem } from '../../../../../shared/entities.ts';
import { all, nameOf, one } from './page.ts';
import { projectOf, type ShellRig, sessionOf, startShellRig } from './shell-rig.ts';

/** The row of a session in the sidebar. */
export const row = (title: string) => one('button', new RegExp(`^${title} `));

export const tabs = () => all('tab').map(nameOf);

export const active = () =>
  all('tab')
    .filter((tab) => tab.getAttribute('aria-selected') === 'true')
    .map(nameOf);

export const frames = () => [...document.querySelectorAll('iframe')];

export interface Opened {
  readonly rig: ShellRig;
  readonly sessions: SessionListItem[];
  readonly ids: string[];
}

/** Creates a project with sessions of these titles and opens each in a tab, in this order. */
export async function openTabs(...titles: string[]): Promise<Opened> {
  const project = projectOf('api');
  const sessions = titles.map((title, index) => sessionOf(project, title, { minutesAgo: index }));
  const rig = startShellRig({ projects: [project], sessions });
  await rig.connect();
  for (const title of titles) row(title).click();
  return { rig, sessions, ids: sessions.map(({ id }) => id) };
}
