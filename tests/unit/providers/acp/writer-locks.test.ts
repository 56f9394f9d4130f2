import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { createWriterLocks } from '../../../../server/providers/acp/locks/writer-locks.ts';
import type { Holder } from '../../../../shared/entities.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const PTS_3 = 136 * 256 + 3;

/** A home of Codex and a system with processes. */
function setUp(platform: NodeJS.Platform = 'linux') {
  const root = scratchDirectory();
  const [home, proc] = [join(root, 'home'), join(root, 'proc')];
  const locks = join(home, 'thread-writer-locks');
  mkdirSync(locks, { recursive: true });
  mkdirSync(proc);
  writeFileSync(join(proc, 'stat'), 'cpu 1 2 3\nbtime 1794780000\n');
  const clock = createManualClock();
  const ownGroups = new Set<number>();
  const held: string[] = [];
  const lockFile = (id: string) => {
    const path = join(locks, `${id}.lock`);
    writeFileSync(path, '');
    return path;
  };
  const list = () => writeFileSync(join(proc, 'locks'), `1: POSIX  ADVISORY  WRITE 1 00:01:5 0 EOF\n${held.join('')}`);
  list();
  return {
    home,
    clock,
    ownGroups,
    holders: createWriterLocks(home, { label: 'Codex', clock, ownGroups, proc, platform }),
    lockFile,
    /** A process that has the file open, and locked unless it only waits for that. */
    hold(pid: number, id: string, { tty = 0, group = pid, isWaiting = false } = {}) {
      const path = lockFile(id);
      mkdirSync(join(proc, String(pid), 'fd'), { recursive: true });
      rmSync(join(proc, String(pid), 'fd', '7'), { force: true });
      symlinkSync(path, join(proc, String(pid), 'fd', '7'));
      const rest = [1, group, pid, tty, -1, ...Array<number>(13).fill(0), 250_000, 0].join(' ');
      writeFileSync(join(proc, String(pid), 'stat'), `${pid} (a ) name) S ${rest}`);
      held.push(`2: ${isWaiting ? '-> ' : ''}FLOCK  ADVISORY  WRITE ${pid} fe:00:${statSync(path).ino} 0 EOF\n`);
      list();
    },
    release() {
      held.length = 0;
      list();
    },
  };
}

it('follow/held a lock of a terminal says which process, where and since when', async () => {
  const { holders, hold } = setUp();
  hold(4711, 'one', { tty: PTS_3 });
  hold(4712, 'two');
  const since = new Date((1_794_780_000 + 2_500) * 1000).toISOString();
  const one: Holder = { label: 'Codex', pid: 4711, tty: 'pts/3', since, certain: true };
  expect(await holders.find('one')).toEqual(one);
  expect(await holders.all()).toEqual(
    new Map<string, Holder>([
      ['one', one],
      ['two', { label: 'Codex', pid: 4712, since, certain: true }],
    ]),
  );
});

it('follow/held a lock of our own process, a free one and one that is waited for hold nothing', async () => {
  const { holders, hold, ownGroups, lockFile } = setUp();
  ownGroups.add(100);
  hold(101, 'ours', { group: 100 });
  hold(200, 'waited-for', { isWaiting: true });
  lockFile('free');
  expect(await holders.all()).toEqual(new Map());
  expect(await holders.find('missing')).toBeUndefined();
});

test.for(['darwin', 'win32'] as const)('follow/held on %s nobody is known to hold a session', async (platform) => {
  const { holders, hold } = setUp(platform);
  hold(1, 'one');
  expect(await holders.find('one')).toBeUndefined();
  holders.watch(() => {})();
});

it('follow/held listeners hear of a lock that is taken or released, and of nothing else', async () => {
  const { holders, hold, release, clock } = setUp();
  let calls = 0;
  const stop = holders.watch(() => {
    calls += 1;
  });
  const afterCheck = async (ms: number) => {
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(ms);
    await expect.poll(() => clock.pending).toBe(1);
  };
  await afterCheck(3_000);
  expect(calls).toBe(0);
  hold(4711, 'one');
  await afterCheck(3_000);
  expect(calls).toBe(1);
  await afterCheck(1_000);
  expect(calls).toBe(1);
  release();
  await afterCheck(1_000);
  expect(calls).toBe(2);
  stop();
  expect(clock.pending).toBe(0);
});
