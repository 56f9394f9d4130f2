import type { SessionListItem } from '../../../shared/entities.ts';
import type { ShellState } from './store.ts';

type Sessions = readonly SessionListItem[];

interface Group {
  /** In the order of the map. */
  readonly members: Sessions;
  readonly ranked: Sessions;
}

type Groups = ReadonlyMap<string, Group>;

/** The sessions of a project: pinned ones first, then the most recently active. */
export function sessionsOf(state: ShellState, projectId: string): Sessions {
  return groupsOf(state.sessions).get(projectId)?.ranked ?? [];
}

/** The map is replaced whenever a session changes. Most projects stay as they were, and sorting thousands takes time. */
let last: { readonly sessions: ShellState['sessions']; readonly groups: Groups } | undefined;

function groupsOf(sessions: ShellState['sessions']): Groups {
  if (last?.sessions !== sessions) last = { sessions, groups: group(sessions, last?.groups) };
  return last.groups;
}

function group(sessions: ShellState['sessions'], before: Groups | undefined): Groups {
  const members = new Map<string, SessionListItem[]>();
  for (const session of sessions.values()) {
    const known = members.get(session.projectId);
    if (known === undefined) members.set(session.projectId, [session]);
    else known.push(session);
  }
  const groups = new Map<string, Group>();
  for (const [projectId, found] of members) {
    const known = before?.get(projectId);
    const isSame = known !== undefined && areSame(known.members, found);
    groups.set(projectId, isSame ? known : { members: found, ranked: found.toSorted(byRank) });
  }
  return groups;
}

const areSame = (a: Sessions, b: Sessions): boolean =>
  a.length === b.length && a.every((session, index) => session === b[index]);

const byRank = (a: SessionListItem, b: SessionListItem): number =>
  Number(b.pinned) - Number(a.pinned) ||
  descending(a.lastActiveAt, b.lastActiveAt) ||
  descending(a.createdAt, b.createdAt);

/** Timestamps are of one format. `localeCompare` is many times slower. */
const descending = (a: string, b: string): number => (a === b ? 0 : a < b ? 1 : -1);
