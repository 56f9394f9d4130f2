import { expect, it } from 'vitest';
import { reconcile } from '../../../../../server/journal/reconcile/reconcile.ts';
import type { UpsertObject } from '../../../../../shared/stream-contracts.ts';
import { createCodexFiles, idOf, recorded } from './rollout-rig.ts';

/** Items of a turn as they were shown live: with ids of our own, a moment later. */
function shownLive(items: readonly UpsertObject[], text: string): UpsertObject[] {
  const turnId = items.find((item) => item.type === 'message' && item.content === text)?.turnId;
  return items
    .filter((item) => item.turnId === turnId)
    .map((item, place) => ({
      ...item,
      turnId: `live ${text}`,
      itemId: `live ${text}:${place === 0 ? 'user' : place}`,
    }));
}

it('follow/two-writers turns of ours are known as ours, and those of an old terminal stand between them', async () => {
  const files = createCodexFiles();
  const rollout = recorded('two-writers-one-old');
  files.write(rollout);
  const { history = [] } = (await files.newest(idOf(rollout))) ?? {};
  const entries = ['echo:X', 'echo:W', 'echo:V'].flatMap((text) => shownLive(history, text));

  const merged = reconcile({ entries, turns: [] }, history);

  const turns = merged.entries.map((item) =>
    item.type === 'message' ? [item.content, item.turnId.split(':t')[0]] : [],
  );
  const foreign = history[0]?.turnId.split(':t')[0];
  expect(turns).toEqual([
    ['echo:X', 'live echo:X'],
    ['ANSWER(X)', 'live echo:X'],
    ['echo:Y', foreign],
    ['ANSWER(Y)', foreign],
    ['echo:W', 'live echo:W'],
    ['ANSWER(W)', 'live echo:W'],
    ['echo:V', 'live echo:V'],
    ['ANSWER(V)', 'live echo:V'],
  ]);
});
