import { exportFormatSchema } from '../../../shared/commands.ts';
import type { SessionListItem } from '../../../shared/entities.ts';
import type { SessionActions } from '../state/session-actions.ts';
import { createMenu, type MenuItem, type Point } from '../widgets/menu.ts';

/** Opens the menu of a session, or closes it. At the pointer if that opened it. */
export type OpenSessionMenu = (anchor: HTMLElement, session: SessionListItem, isArchived: boolean, at?: Point) => void;

const EXPORTS: readonly MenuItem[] = [
  { id: 'md', label: 'Export as Markdown', startsGroup: true },
  { id: 'html', label: 'Export as HTML' },
  { id: 'json', label: 'Export as JSON' },
];
const DELETE: MenuItem = { id: 'delete', label: 'Delete…', startsGroup: true };

function itemsOf({ pinned }: SessionListItem, isArchived: boolean): readonly MenuItem[] {
  if (isArchived) return [{ id: 'restore', label: 'Restore' }, ...EXPORTS, DELETE];
  const pin = pinned ? { id: 'unpin', label: 'Unpin' } : { id: 'pin', label: 'Pin' };
  return [{ id: 'rename', label: 'Rename' }, pin, { id: 'archive', label: 'Archive' }, ...EXPORTS, DELETE];
}

/** One menu for all sessions of the sidebar. */
export function createSessionMenu(actions: SessionActions): OpenSessionMenu {
  let sessionId = '';
  const does: Readonly<Record<string, () => unknown>> = {
    rename: () => actions.startRename(sessionId),
    pin: () => actions.pin(sessionId, true),
    unpin: () => actions.pin(sessionId, false),
    archive: () => actions.archive(sessionId),
    restore: () => actions.restore(sessionId),
    delete: () => actions.delete(sessionId),
  };
  const menu = createMenu({
    label: 'Session',
    onChoose(id) {
      const format = exportFormatSchema.safeParse(id);
      if (format.success) void actions.export(sessionId, format.data);
      else does[id]?.();
    },
  });
  return (anchor, session, isArchived, at) => {
    const wasOpen = menu.isOpen() && sessionId === session.id;
    menu.close();
    if (wasOpen && at === undefined) return;
    sessionId = session.id;
    menu.open(anchor, itemsOf(session, isArchived), at);
  };
}
