import { EventEmitter } from 'node:events';
import { type FSWatcher, mkdirSync, rmdirSync, type watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFolderWatches } from '../../../server/folder-watches.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

function createRig(watchFolder?: typeof watch) {
  const clock = createManualClock();
  const watches = createFolderWatches(clock, watchFolder);
  onTestFinished(() => watches.close());
  return { clock, watches };
}

/** Calls of a listener, and a promise for the next one. */
function listen() {
  const heard: (string | undefined)[] = [];
  let wake = () => {};
  return {
    heard,
    listener: (name: string | undefined) => {
      heard.push(name);
      wake();
    },
    next: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
  };
}

it('follow/live a folder is watched once, however many listen, until the last one stops', async () => {
  const folder = scratchDirectory();
  const { watches } = createRig();
  const [first, second] = [listen(), listen()];
  const stops = [watches.watch(folder, first.listener), watches.watch(folder, second.listener)];
  expect(watches.count()).toBe(1);

  const told = Promise.all([first.next(), second.next()]);
  writeFileSync(join(folder, 'a.jsonl'), '1');
  await told;
  expect(first.heard).toContain('a.jsonl');
  expect(second.heard).toContain('a.jsonl');

  stops[0]?.();
  expect(watches.count()).toBe(1);
  stops[1]?.();
  stops[1]?.();
  expect(watches.count()).toBe(0);
});

it('follow/live a folder that is missing is watched as soon as it is there, and its listeners are told', () => {
  const folder = join(scratchDirectory(), 'later');
  const { watches, clock } = createRig();
  const { heard, listener } = listen();
  watches.watch(folder, listener);
  expect(watches.count()).toBe(0);

  clock.advance(2_000);
  expect(heard).toEqual([]);
  mkdirSync(folder);
  clock.advance(2_000);
  expect(heard).toEqual([undefined]);
  expect(watches.count()).toBe(1);
});

it('follow/live a folder that was removed and made again is watched again', async () => {
  const folder = join(scratchDirectory(), 'gone');
  mkdirSync(folder);
  const { watches, clock } = createRig();
  const { heard, listener, next } = listen();
  watches.watch(folder, listener);

  const told = next();
  rmdirSync(folder);
  await told;
  expect(heard.at(-1)).toBeUndefined();
  expect(watches.count()).toBe(0);

  mkdirSync(folder);
  clock.advance(2_000);
  expect(watches.count()).toBe(1);
});

it('follow/live a watch that fails is tried again every two seconds', () => {
  const watcher = Object.assign(new EventEmitter(), { close: () => {} }) as unknown as FSWatcher;
  let tries = 0;
  const failing = (() => {
    tries += 1;
    if (tries === 2) throw new Error('ENOSPC');
    return watcher;
  }) as unknown as typeof watch;
  const { watches, clock } = createRig(failing);
  const { heard, listener } = listen();
  watches.watch('/anywhere', listener);

  watcher.emit('error', new Error('lost'));
  expect(watches.count()).toBe(0);
  clock.advance(2_000);
  expect([tries, watches.count()]).toEqual([2, 0]);
  clock.advance(2_000);
  expect([tries, watches.count()]).toEqual([3, 1]);
  expect(heard).toEqual([undefined, undefined]);

  watches.close();
  expect(clock.pending).toBe(0);
});
