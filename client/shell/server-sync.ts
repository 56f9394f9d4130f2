import type { ConnectionState } from '../../shared/portlet-messages.ts';
import { closeUnknownTabs, forgetAgents, withFrame, withProjects, withSessionList } from './state/changes.ts';
import type { Notices } from './widgets/notices.ts';
import type { PortletFrames } from './portlets/portlet-frames.ts';
import type { ServerFrame } from './server/server-frames.ts';
import type { SessionFeed } from './server/subscriptions.ts';
import type { ServerSocket } from './server/socket.ts';
import type { Store } from './state/store.ts';

export interface ServerSyncOptions {
  readonly store: Store;
  readonly request: ServerSocket['request'];
  readonly feed: SessionFeed;
  readonly frames: Pick<PortletFrames, 'open' | 'post'>;
  readonly notices: Notices;
  readonly refreshAgents: () => Promise<void>;
}

/** Keeps the state as the server has it: everything anew after each connect, then change by change. */
export function createServerSync(options: ServerSyncOptions) {
  const { store, request, feed, frames, notices } = options;

  /** Answers false when a list could not be read, so that nothing is concluded from what is missing. */
  async function readLists(): Promise<boolean> {
    const projects = await request('project:list', {});
    if (!projects.ok) return false;
    store.update(withProjects(projects.value.projects));
    const lists = await Promise.all(projects.value.projects.map(({ id }) => readSessions(id)));
    return lists.every(Boolean);
  }

  async function readSessions(projectId: string): Promise<boolean> {
    const list = await request('session:list', { projectId });
    if (list.ok) store.update(withSessionList(projectId, list.value.sessions));
    return list.ok;
  }

  async function resync(): Promise<void> {
    const { active } = store.get().tabs;
    if (active !== null && frames.open().includes(active)) feed.follow(active);
    void options.refreshAgents();
    if (!(await readLists())) return;
    store.update(closeUnknownTabs);
    // What the server has in memory is cheap to follow; the rest is loaded when it is looked at again.
    const { sessions } = store.get();
    for (const id of frames.open()) if (sessions.get(id)?.state !== 'closed') feed.follow(id);
  }

  function passOn(frame: ServerFrame): void {
    switch (frame.type) {
      case 'session:upsert':
      case 'session:turn':
        frames.post(frame.sessionId, { type: frame.type, payload: frame.payload });
        return;
      case 'session:history':
        frames.post(frame.sessionId, { type: frame.type, entries: frame.entries, turns: frame.turns });
        return;
      case 'error': {
        const { type: _, ...error } = frame;
        if (error.sessionId === undefined) {
          notices.error(error.message);
          return;
        }
        feed.failed(error.sessionId);
        frames.post(error.sessionId, { type: 'session:error', error });
        return;
      }
      default:
        return;
    }
  }

  return {
    onFrame(frame: ServerFrame): void {
      store.update(withFrame(frame));
      // One that was removed before comes back with its sessions.
      if (frame.type === 'project:added') void readSessions(frame.project.id);
      passOn(frame);
    },
    onState(connection: ConnectionState): void {
      if (connection === 'connected') {
        feed.connected();
        store.update((state) => ({ ...forgetAgents(state), connection }));
        void resync();
      } else {
        feed.disconnected();
        store.update((state) => ({ ...state, connection }));
      }
    },
  };
}
