import type { NativeFiles } from '../../../server/engine/native-files.ts';
import type { Holders } from '../../../server/engine/native-sessions.ts';
import type { FolderListener, FolderWatches } from '../../../server/folder-watches.ts';
import type { Holder } from '../../../shared/entities.ts';
import { fromCanonical, type SessionId } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Transcripts } from './scripted-provider.ts';

/** Another program that opens and continues the sessions of a scripted agent, without a file system. */
export interface ScriptedTerminal {
  readonly nativeFiles: NativeFiles;
  readonly holders: Holders;
  readonly watches: FolderWatches;
  /** Opens a session, or says something else about it. */
  open(sessionId: SessionId, holder?: Partial<Holder>): void;
  close(sessionId: SessionId): void;
  /** The same, and those who watch are not told. */
  openSilently(sessionId: SessionId): void;
  closeSilently(sessionId: SessionId): void;
  /** Appends a question and its answer to the agent's file. */
  write(sessionId: SessionId, question: string, answer: string, at?: string): void;
  /** Goes back to before the turn of `sessionId` that has this question, and continues from there. */
  rewind(sessionId: SessionId, question: string): void;
  /** Tells those who watch the folder that the file changed. */
  touch(sessionId: SessionId): void;
}

/** `folder`: where the files are said to be. Nothing is read from there or written. */
export function createScriptedTerminal(transcripts: Transcripts, now: () => string, folder: string): ScriptedTerminal {
  const open = new Map<string, Holder>();
  const holderListeners = new Set<() => void>();
  const folders = new Map<string, Set<FolderListener>>();
  const nativeOf = (sessionId: SessionId) => fromCanonical(sessionId).nativeId;
  const nameOf = (nativeId: string) => `${nativeId}.jsonl`;
  let count = 0;

  function hold(sessionId: SessionId, holder?: Partial<Holder>): void {
    open.set(nativeOf(sessionId), { label: 'Scripted agent', pid: 4711, certain: true, ...holder });
  }

  const tellHolders = () => {
    for (const listener of holderListeners) listener();
  };

  function touch(sessionId: SessionId): void {
    for (const listener of folders.get(folder) ?? []) listener(nameOf(nativeOf(sessionId)));
  }

  function put(sessionId: SessionId, items: readonly UpsertObject[]): void {
    transcripts.set(sessionId, new Map(items.map((item) => [item.itemId, item])));
    touch(sessionId);
  }

  const itemsOf = (sessionId: SessionId) => [...(transcripts.get(sessionId)?.values() ?? [])];

  return {
    nativeFiles: {
      home: () => folder,
      nativeIdOf: nativeOf,
      async find(nativeId, cwd) {
        const isKnown = [...transcripts.keys()].some((sessionId) => nativeOf(sessionId) === nativeId);
        const name = nameOf(nativeId);
        return isKnown ? { nativeId, cwd, files: [{ path: `${folder}/${name}`, name }] } : undefined;
      },
      async *list() {},
    },
    holders: {
      find: async (nativeId) => open.get(nativeId),
      all: async () => new Map(open),
      watch(listener) {
        holderListeners.add(listener);
        return () => holderListeners.delete(listener);
      },
    },
    watches: {
      watch(watched, listener) {
        const listeners = folders.get(watched) ?? new Set();
        folders.set(watched, listeners.add(listener));
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0) folders.delete(watched);
        };
      },
      count: () => folders.size,
      close: () => folders.clear(),
    },
    open(sessionId, holder) {
      hold(sessionId, holder);
      tellHolders();
    },
    close(sessionId) {
      open.delete(nativeOf(sessionId));
      tellHolders();
    },
    openSilently: hold,
    closeSilently: (sessionId) => void open.delete(nativeOf(sessionId)),
    write(sessionId, question, answer, at = now()) {
      count += 1;
      const turnId = `terminal-${count}`;
      const facts = { sessionId, turnId, sourceTimestamp: at, emittedAt: at, status: 'complete' as const };
      put(sessionId, [
        ...itemsOf(sessionId),
        { ...facts, type: 'message', origin: 'user', itemId: `${turnId}:user`, content: question },
        { ...facts, type: 'message', origin: 'agent', itemId: `${turnId}:0:0`, content: answer },
      ]);
    },
    rewind(sessionId, question) {
      const items = itemsOf(sessionId);
      const from = items.findIndex((item) => item.type === 'message' && item.content === question);
      put(sessionId, items.slice(0, from));
    },
    touch,
  };
}
