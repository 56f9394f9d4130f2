import type { KeepStatus } from '../../shared/entities.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { ConnectionState } from '../../shared/portlet-messages.ts';
import type { PortletFrames } from './portlets/portlet-frames.ts';
import type { ServerFrame } from './server/server-frames.ts';
import type { ServerSocket } from './server/socket.ts';
import type { Subscriptions } from './server/subscriptions.ts';
import { withArchivedCounts } from './state/archived.ts';
import {
  closeUnknownTabs,
  dropUnlisted,
  forgetAgents,
  withFrame,
  withKept,
  withProjects,
  withSessionList,
  withSessions,
} from './state/changes.ts';
import type { Store } from './state/store.ts';
import type { Notices } from './widgets/notices.ts';

export interface ServerSyncOptions {
  readonly store: Store;
  readonly request: ServerSocket['request'];
  readonly subscriptions: Subscriptions;
  readonly frames: Pick<PortletFrames, 'open' | 'post'>;
  readonly notices: Notices;
  readonly refreshAgents: () => Promise<void>;
  readonly refreshArchived: () => void;
}

/** Keeps the state in sync with the server: reads everything after each connect, then applies changes. */
export function createServerSync(options: ServerSyncOptions) {
  const { store, request, subscriptions, frames, notices } = options;
  const toldProblems = new Set<string>();

  /** Returns false if a list could not be read: then a missing session may still exist. */
  async function readLists(): Promise<boolean> {
    const projects = await request('project:list', {});
    if (!projects.ok) return false;
    store.update(withProjects(projects.value.projects));
    const before = [...store.get().sessions.keys()];
    const listed = await readAllSessions();
    if (listed === undefined) return false;
    store.update(dropUnlisted(before.filter((id) => !listed.has(id))));
    return true;
  }

  /** Page by page, so that a long list does not block the page. Returns the ids, or undefined if it was not read. */
  async function readAllSessions(): Promise<ReadonlySet<SessionId> | undefined> {
    const listed = new Set<SessionId>();
    for (let after: SessionId | undefined; ; ) {
      const page = await request('session:list-all', after === undefined ? {} : { after });
      if (!page.ok) return undefined;
      store.update(withSessions(page.value.sessions));
      for (const { id } of page.value.sessions) listed.add(id);
      after = page.value.sessions.at(-1)?.id;
      if (page.value.more && after !== undefined) continue;
      store.update(withArchivedCounts(page.value.archived ?? {}));
      return listed;
    }
  }

  async function readSessions(projectId: string): Promise<boolean> {
    const list = await request('session:list', { projectId });
    if (list.ok) store.update(withSessionList(projectId, list.value.sessions));
    return list.ok;
  }

  async function readKept(): Promise<void> {
    const kept = await request('keep:status', {});
    if (!kept.ok) return;
    tellProblem(kept.value);
    store.update(withKept(kept.value));
  }

  /** Each new problem once, because the line in the sidebar may be out of sight. Not those of before this page. */
  function tellProblem({ message }: KeepStatus): void {
    if (message === undefined || toldProblems.has(message)) return;
    toldProblems.add(message);
    if (store.get().kept !== null) notices.error(message);
  }

  async function resync(): Promise<void> {
    const { active } = store.get().tabs;
    if (active !== null && frames.open().includes(active)) subscriptions.subscribe(active);
    void options.refreshAgents();
    options.refreshArchived();
    void readKept();
    if (!(await readLists())) return;
    store.update(closeUnknownTabs);
    // Subscribing is cheap for sessions that the server has in memory. The others load when their tab is selected.
    const { sessions } = store.get();
    for (const id of frames.open()) if (sessions.get(id)?.state !== 'closed') subscriptions.subscribe(id);
  }

  function forward(frame: ServerFrame): void {
    switch (frame.type) {
      case 'session:upsert':
      case 'session:turn':
      case 'session:append':
        subscriptions.event(frame.sessionId, frame.seq);
        frames.post(frame.sessionId, frame);
        return;
      case 'session:history':
        subscriptions.snapshot(frame.sessionId, frame.asOf);
        frames.post(frame.sessionId, frame);
        return;
      case 'session:resumed':
        frames.post(frame.sessionId, frame);
        return;
      case 'error': {
        const { type: _, ...error } = frame;
        if (error.sessionId === undefined) {
          notices.error(error.message);
          return;
        }
        subscriptions.failed(error.sessionId);
        frames.post(error.sessionId, { type: 'session:error', error });
        return;
      }
      default:
        return;
    }
  }

  return {
    onFrame(frame: ServerFrame): void {
      if (frame.type === 'keep:status') tellProblem(frame);
      store.update(withFrame(frame));
      // A project that was removed earlier still has its sessions.
      if (frame.type === 'project:added') void readSessions(frame.project.id);
      forward(frame);
    },
    onState(connection: ConnectionState): void {
      if (connection === 'connected') {
        subscriptions.connected();
        store.update((state) => ({ ...forgetAgents(state), connection }));
        void resync();
      } else {
        subscriptions.disconnected();
        store.update((state) => ({ ...state, connection }));
      }
    },
  };
}
