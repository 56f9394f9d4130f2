import type { ExportFormat } from '../../../shared/commands.ts';
import type { SessionListItem } from '../../../shared/entities.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { commandKey } from '../../shared/shortcuts.ts';
import type { Api, DownloadedFile } from '../server/api.ts';
import type { ServerSocket } from '../server/socket.ts';
import type { ConfirmQuestion } from '../widgets/confirm-dialog.ts';
import type { Notices } from '../widgets/notices.ts';
import { withArchivedList, withoutArchivedList } from './archived.ts';
import { withFrame } from './changes.ts';
import { agentLabel, isWorking } from './selectors.ts';
import type { Store } from './store.ts';
import { openTab } from './tabs.ts';

export interface SessionActionsOptions {
  readonly store: Store;
  readonly api: Pick<Api, 'call' | 'download'>;
  readonly socket: Pick<ServerSocket, 'request'>;
  readonly confirm: (question: ConfirmQuestion) => Promise<boolean>;
  readonly notices: Notices;
  /** Gives the file to the user. */
  readonly save: (file: DownloadedFile) => void;
  /** A session is listed again. */
  readonly onRestored: (sessionId: SessionId) => void;
}

export type SessionActions = ReturnType<typeof createSessionActions>;

const FORMATS: Readonly<Record<ExportFormat, string>> = { md: 'Markdown', html: 'HTML', json: 'JSON' };

/** What a user can do with a session as a whole. Failures are shown as notices. */
export function createSessionActions(options: SessionActionsOptions) {
  const { store, api, socket, confirm, notices } = options;
  /** What can be undone, by session, the latest last. */
  const undos = new Map<SessionId, { readonly undo: () => void; readonly close: () => void }>();

  function find(sessionId: SessionId): SessionListItem | undefined {
    const { sessions, archived } = store.get();
    const lists = [...archived.values()].flatMap((list) => list.sessions ?? []);
    return sessions.get(sessionId) ?? lists.find(({ id }) => id === sessionId);
  }

  async function unarchive(sessionId: SessionId): Promise<boolean> {
    const outcome = await api.call('session:unarchive', { sessionId });
    if (outcome.ok) {
      undos.get(sessionId)?.close();
      store.update(withFrame({ type: 'session:unarchived', ...outcome.value }));
    } else notices.error(outcome.error.message);
    return outcome.ok;
  }

  /** Brings a session back, and its tab if it was open. */
  async function undoArchive(sessionId: SessionId, wasOpen: boolean): Promise<void> {
    if (!(await unarchive(sessionId))) return;
    if (wasOpen) store.update((state) => ({ ...state, tabs: openTab(state.tabs, sessionId) }));
    options.onRestored(sessionId);
  }

  function offerUndo({ id, title }: SessionListItem, wasOpen: boolean): void {
    const undo = () => {
      close();
      void undoArchive(id, wasOpen);
    };
    const close = notices.info(`Archived “${title}”.`, {
      action: { label: 'Undo', title: `Undo (${commandKey()}Z in the sidebar)`, onClick: undo },
      onClosed: () => undos.delete(id),
    });
    undos.set(id, { undo, close });
  }

  async function readArchived(projectId: string): Promise<void> {
    const outcome = await socket.request('session:list', { projectId, archived: true });
    // It may have been closed meanwhile.
    const known = store.get().archived.get(projectId);
    if (known === undefined) return;
    if (outcome.ok) store.update(withArchivedList(projectId, { sessions: outcome.value.sessions }));
    else store.update(withArchivedList(projectId, { ...known, problem: outcome.error.message }));
  }

  return {
    startRename(sessionId: SessionId): void {
      store.update((state) => (state.sessions.has(sessionId) ? { ...state, renaming: sessionId } : state));
    },

    endRename(): void {
      store.update((state) => (state.renaming === null ? state : { ...state, renaming: null }));
    },

    async rename(sessionId: SessionId, title: string): Promise<void> {
      const name = title.trim();
      if (name === '' || name === store.get().sessions.get(sessionId)?.title) return;
      const outcome = await api.call('session:rename', { sessionId, title: name });
      if (outcome.ok) store.update(withFrame({ type: 'session:title-updated', ...outcome.value }));
      else notices.error(`Not renamed. ${outcome.error.message}`);
    },

    async pin(sessionId: SessionId, pinned: boolean): Promise<void> {
      const outcome = await api.call('session:pin', { sessionId, pinned });
      if (!outcome.ok) notices.error(outcome.error.message);
    },

    async archive(sessionId: SessionId): Promise<void> {
      const { sessions, tabs } = store.get();
      const session = sessions.get(sessionId);
      if (session === undefined) return;
      const yes =
        !isWorking(session) ||
        (await confirm({
          title: 'Archive a running session?',
          body: `“${session.title}” is still working. Archiving stops it.`,
          confirm: 'Archive',
        }));
      if (!yes) return;
      const outcome = await api.call('session:archive', { sessionId });
      if (!outcome.ok) {
        notices.error(outcome.error.message);
        return;
      }
      store.update(withFrame({ type: 'session:archived', sessionId }));
      offerUndo(session, tabs.order.includes(sessionId));
    },

    /** Returns whether there was anything to undo. */
    undoArchive(): boolean {
      const latest = [...undos.values()].at(-1);
      latest?.undo();
      return latest !== undefined;
    },

    async restore(sessionId: SessionId): Promise<void> {
      if (await unarchive(sessionId)) options.onRestored(sessionId);
    },

    /** Shows the archived sessions of a project, or hides them. */
    toggleArchived(projectId: string): void {
      if (store.get().archived.has(projectId)) {
        store.update(withoutArchivedList(projectId));
        return;
      }
      store.update(withArchivedList(projectId, { sessions: undefined }));
      void readArchived(projectId);
    },

    /** Reads the lists again that are shown. */
    refreshArchived(): void {
      for (const projectId of store.get().archived.keys()) void readArchived(projectId);
    },

    async delete(sessionId: SessionId): Promise<void> {
      const session = find(sessionId);
      if (session === undefined) return;
      const label = agentLabel(store.get(), session.cliType);
      const yes = await confirm({
        title: `Delete “${session.title}”?`,
        body: `This cannot be undone. The conversation and all that is kept of it here are deleted, and ${label} is asked to delete its own. If ${label} keeps something, you are told what.`,
        confirm: 'Delete',
      });
      if (!yes) return;
      const outcome = await api.call('session:delete', { sessionId });
      if (!outcome.ok) {
        notices.error(`Not deleted. ${outcome.error.message}`);
        return;
      }
      undos.get(sessionId)?.close();
      store.update(withFrame({ type: 'session:deleted', ...outcome.value }));
      const { left } = outcome.value;
      notices.info([`Deleted “${session.title}”.`, left].filter(Boolean).join(' '), { stays: left !== undefined });
    },

    async export(sessionId: SessionId, format: ExportFormat): Promise<void> {
      const title = find(sessionId)?.title ?? 'the session';
      const outcome = await api.download('session:export', { sessionId, format });
      if (outcome.ok) {
        options.save(outcome.value);
        notices.info(`Exported “${title}” as ${FORMATS[format]}.`);
      } else notices.error(`Not exported. ${outcome.error.message}`);
    },
  };
}
