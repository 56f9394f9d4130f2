import type { ServerProcess } from '../../tests/support/product/server-process.ts';
import { descendantsOf, residentMib } from '../product/process-facts.ts';
import { type Conversation, differences, textOf } from './conversation.ts';
import type { Load } from './load.ts';
import type { Scene } from './scene.ts';
import { openWindow, type SoakWindow } from './window.ts';

/** A fresh window that subscribes to all these sessions. */
async function freshWindow(server: ServerProcess, sessionIds: Iterable<string>): Promise<SoakWindow> {
  const fresh = openWindow({ ...server, name: 'fresh' });
  for (const sessionId of sessionIds) fresh.subscribe(sessionId);
  await fresh.settled();
  fresh.close();
  return fresh;
}

/** The differences between the windows and a fresh one. */
export async function disagreements(windows: readonly SoakWindow[], server: ServerProcess): Promise<string[]> {
  const [first] = windows;
  const fresh = await freshWindow(server, first?.conversations.keys() ?? []);
  return windows.flatMap(({ name, conversations }) =>
    [...fresh.conversations].flatMap(([sessionId, conversation]) => {
      const seen = conversations.get(sessionId);
      const found = seen === undefined ? ['not there'] : differences(seen, conversation);
      return found.map((text) => `${name}, ${sessionId}: ${text}`);
    }),
  );
}

/** Messages that were confirmed but are not shown. */
export function lostMessages({ confirmed }: Load, { conversations }: SoakWindow): string[] {
  return [...confirmed].flatMap(([turnId, { sessionId, content }]) => {
    const shown = conversations.get(sessionId)?.items.get(`${turnId}:user`);
    return textOf(shown) === content ? [] : [`message ${turnId} is gone`];
  });
}

/** Kills and restarts the server and returns what is missing afterwards. */
export async function lostByRestart(scene: Scene, server: ServerProcess, shown: SoakWindow): Promise<string[]> {
  const agents = descendantsOf(server.pid);
  await server.stop('SIGKILL');
  const next = await scene.start();
  const left = agents.filter((pid) => !Number.isNaN(residentMib(pid)));
  const fresh = await freshWindow(next, shown.conversations.keys());
  await next.stop();
  return [
    ...left.map((pid) => `process ${pid} outlived the server`),
    ...[...shown.conversations].flatMap(([sessionId, before]) => lost(before, fresh.conversations.get(sessionId))),
  ];
}

function lost(before: Conversation, after: Conversation | undefined): string[] {
  const gone = [...before.items].flatMap(([itemId, item]) => {
    const kept = after?.items.get(itemId);
    const isSame = textOf(kept) === textOf(item) && kept?.status === item.status;
    return isSame ? [] : [`${itemId} is not there after a restart`];
  });
  const added = [...(after?.items.keys() ?? [])].filter((itemId) => !before.items.has(itemId));
  return [...gone, ...added.map((itemId) => `${itemId} is new after a restart`)];
}
