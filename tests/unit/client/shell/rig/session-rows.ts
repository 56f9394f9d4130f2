import type { SessionListItem } from '../../../../../shared/entities.ts';
import { all, isShown, one } from './page.ts';
import { type HttpCall, projectOf, type ShellRig, sessionOf, startShellRig } from './shell-rig.ts';

/** The sessions of one project in the sidebar, and what a user does with them. */

export const project = projectOf('api');
export const titles = () =>
  [...document.querySelectorAll('.session:not(.is-archived) .row-title')].filter(isShown).map((it) => it.textContent);
export const archivedTitles = () =>
  [...document.querySelectorAll('.is-archived .row-title')].filter(isShown).map((it) => it.textContent);
export const row = (title: string) => one('button', new RegExp(`^${title} `));
export const notice = () => all('status').map(({ textContent }) => textContent);
export const summary = () => document.querySelector<HTMLElement>('.row-archived') as HTMLElement;

export async function start(titled: readonly string[], archived: readonly SessionListItem[] = []) {
  const sessions = titled.map((title, index) => sessionOf(project, title, { minutesAgo: index + 1 }));
  const rig = startShellRig({ projects: [project], sessions, archived: [...archived] });
  await rig.connect();
  return { rig, sessions };
}

export function addressOf(session: SessionListItem | undefined, action = ''): string {
  return `/api/session/${encodeURIComponent(session?.id ?? '')}${action}`;
}

/** Lets a call succeed with this body. */
export function answer(rig: ShellRig, path: string, body: (call: HttpCall) => object): void {
  rig.answers.set(path, (call) => ({ status: 200, body: body(call) }));
}

export function refuse(rig: ShellRig, path: string, message: string): void {
  rig.answers.set(path, () => ({ status: 409, body: { code: 'SESSION_IN_USE', message } }));
}

export function choose(title: string, item: string): void {
  const line = row(title).parentElement as HTMLElement;
  one('button', 'More actions', line).click();
  one('menuitem', item).click();
}
