import type { PortletToShell } from '../../../shared/portlet-messages.ts';
import type { Conversation } from '../model/conversation.ts';

export interface StopRequestsOptions {
  readonly conversation: Pick<Conversation, 'background'>;
  readonly post: (message: PortletToShell) => void;
  /** What `isStopping` and `isStoppingAll` return has changed. */
  readonly onChange: () => void;
}

/** Requests of the user to stop background work, until that work has ended. */
export interface StopRequests {
  /** Stops the work of one item. Does nothing if that is under way. */
  stop(itemId: string): void;
  stopAll(): void;
  isStopping(itemId: string): boolean;
  isStoppingAll(): boolean;
  /** Background work started: it is not part of an earlier request. */
  started(): void;
  /** The server refused to stop this item, or all of them. */
  failed(itemId: string | undefined): void;
  /** Nothing runs any more, or what runs may have changed. */
  clear(): void;
}

export function createStopRequests({ conversation, post, onChange }: StopRequestsOptions): StopRequests {
  const items = new Set<string>();
  let isAll = false;

  function clear(): void {
    if (!isAll && items.size === 0) return;
    isAll = false;
    items.clear();
    onChange();
  }

  return {
    stop(itemId) {
      if (items.has(itemId)) return;
      items.add(itemId);
      post({ type: 'session:stop-background', itemId });
      onChange();
    },
    stopAll() {
      if (isAll) return;
      isAll = true;
      for (const { upsert } of conversation.background()) items.add(upsert.itemId);
      post({ type: 'session:stop-background' });
      onChange();
    },
    isStopping: (itemId) => items.has(itemId),
    isStoppingAll: () => isAll,
    started() {
      if (!isAll) return;
      isAll = false;
      onChange();
    },
    failed(itemId) {
      if (itemId === undefined) {
        clear();
        return;
      }
      items.delete(itemId);
      onChange();
    },
    clear,
  };
}
