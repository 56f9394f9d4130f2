import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderWatches } from '../../../../server/folder-watches.ts';
import { createProcessTable } from '../../../../server/processes/index.ts';
import { terminalName } from '../../../../server/processes/terminal-of.ts';
import { createClaudeHolders } from '../../../../server/providers/claude/process/claude-holders.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

const table = createProcessTable();

/** A program that runs until it is killed. */
function startProgram(): ChildProcess & { readonly pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { pid: child.pid ?? 0 });
}

const ticksOf = (pid: number) => /:(\d+)$/.exec(table.find(pid)?.startTime ?? '')?.[1];
const namespaceOf = () => `linux:0123:${readlinkSync('/proc/self/ns/pid')}`;

/** The folder in which processes of Claude Code say what they have open, and what is found there. */
function createRegistry(ours: ReadonlySet<number> = new Set()) {
  const home = scratchDirectory();
  const folder = join(home, 'sessions');
  mkdirSync(folder);
  const clock = createManualClock();
  const folderWatches = createFolderWatches();
  onTestFinished(() => folderWatches.close());
  const holders = createClaudeHolders({
    env: { CLAUDE_CONFIG_DIR: home },
    label: 'Claude Code',
    processTable: table,
    clock,
    folderWatches,
    isOurs: (pid) => ours.has(pid),
  });
  return {
    holders,
    clock,
    folder,
    folderWatches,
    enter: (pid: number, more: object = {}) =>
      writeFileSync(
        join(folder, `${pid}.json`),
        JSON.stringify({ pid, sessionId: 'one', startedAt: 1_794_793_827_817, procStart: ticksOf(pid), ...more }),
      ),
  };
}

test('follow/held a process that has a conversation open is its holder, with what it says of itself', async () => {
  const { holders, enter } = createRegistry();
  const { pid } = startProgram();
  enter(pid, { status: 'waiting', entrypoint: 'cli', kind: 'interactive' });
  const holder = { label: 'Claude Code', pid, since: '2026-11-16T01:50:27.817Z', status: 'waiting', certain: true };
  expect(await holders.find('one')).toMatchObject(holder);
  expect(await holders.find('another')).toBeUndefined();
  expect([...(await holders.all()).keys()]).toEqual(['one']);
});

test.runIf(process.platform === 'linux').for<[string, (pid: number) => object]>([
  ['another start time', () => ({ procStart: '1' })],
  ['another namespace', () => ({ pidDomain: 'linux:0123:pid:[1]' })],
])('follow/held an entry of a process with %s is no holder', async ([, more]) => {
  const { holders, enter } = createRegistry();
  const { pid } = startProgram();
  enter(pid, more(pid));
  expect(await holders.find('one')).toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'follow/held an entry of the same namespace counts, and one of an old version',
  async () => {
    const { holders, enter } = createRegistry();
    const [one, other] = [startProgram(), startProgram()];
    enter(one.pid, { pidDomain: namespaceOf() });
    enter(other.pid, { sessionId: 'old', procStart: undefined, startedAt: undefined });
    expect([...(await holders.all()).keys()].sort()).toEqual(['old', 'one']);
  },
);

test('follow/held our own processes, and entries that are not whole, are no holders', async () => {
  const { pid } = startProgram();
  const { holders, enter, folder } = createRegistry(new Set([pid]));
  enter(pid);
  writeFileSync(join(folder, '1.json'), '{"pid":1,"sess');
  writeFileSync(join(folder, '2.json'), 'null');
  expect((await holders.all()).size).toBe(0);
});

test('follow/held a status that changes in place is noticed', async () => {
  const { holders, enter } = createRegistry();
  const { pid } = startProgram();
  enter(pid, { status: 'busy' });
  expect(await holders.find('one')).toMatchObject({ status: 'busy' });
  enter(pid, { status: 'idle', sessionId: 'two' });
  expect(await holders.find('one')).toBeUndefined();
  expect(await holders.find('two')).toMatchObject({ status: 'idle' });
});

test('follow/held listeners hear of a new holder, and nothing is watched without listeners', async () => {
  const { holders, enter, folderWatches } = createRegistry();
  const { pid } = startProgram();
  let unwatch = () => {};
  const heard = new Promise<void>((resolve) => {
    unwatch = holders.watch(resolve);
  });
  enter(pid);
  await heard;
  expect(await holders.find('one')).toBeDefined();
  unwatch();
  expect(folderWatches.count()).toBe(0);
});

test('follow/held listeners hear of a holder that begins and is killed between two looks', async () => {
  const { holders, enter, clock } = createRegistry();
  const program = startProgram();
  let times = 0;
  const unwatch = holders.watch(() => {
    times += 1;
  });
  await expect.poll(() => clock.pending).toBe(1);
  enter(program.pid);
  await expect.poll(() => times).toBeGreaterThan(0);
  expect(await holders.find('one')).toBeDefined();

  program.kill('SIGKILL');
  await once(program, 'exit');
  const before = times;
  clock.advance(1_000);
  await expect.poll(() => times).toBe(before + 1);
  unwatch();
});

test('follow/held listeners hear of a holder that was killed, though it leaves its entry behind', async () => {
  const { holders, enter, clock } = createRegistry();
  const program = startProgram();
  enter(program.pid);
  let heard = () => {};
  const known = new Promise<void>((resolve) => (heard = resolve));
  const unwatch = holders.watch(() => heard());
  await known;

  program.kill('SIGKILL');
  await once(program, 'exit');
  let isGone = false;
  heard = () => (isGone = true);
  while (!isGone) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(await holders.find('one')).toBeUndefined();
  unwatch();
  expect(clock.pending).toBe(0);
});

test.for([
  ['14252 (claude code) S 1 2 3 34819 0', 'pts/3'],
  ['14252 (a) b) S 1 2 3 35072 0', 'pts/256'],
  ['14252 (claude) S 1 2 3 1025 0', 'tty1'],
  ['14252 (claude) S 1 2 3 0 0', undefined],
])('follow/held the terminal in "%s" is %s', ([stat, name]) => {
  expect(terminalName(stat ?? '')).toBe(name);
});
