import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createProcessHost, createProcessLedger, createProcessTable } from '../../../server/processes/index.ts';
import { printedPids, program } from '../../support/processes/program.ts';
import { watchSurvivors } from '../../support/processes/survivors.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const table = createProcessTable();

function setUp() {
  const { env, survivors } = watchSurvivors();
  const ledger = createProcessLedger(join(scratchDirectory(), 'processes'));
  const host = createProcessHost({ ledger, graceMs: 50 });
  const spawn = (name: string, ...args: string[]) => host.spawn({ ...program(name, ...args), env });
  return { host, ledger, spawn, survivors };
}

describe('after stop nothing survives of a program that', () => {
  test.each(['exit-at-once', 'print-nothing'])('%s', async (name) => {
    const { spawn, survivors, ledger } = setUp();
    await spawn(name).stop('test');
    expect(survivors()).toEqual([]);
    expect(ledger.entries()).toEqual([]);
  });

  test.each([
    ['ignores everything', 'ignore-everything', []],
    ['forked grandchildren', 'fork-grandchildren', []],
    ['forked grandchildren that left the group', 'fork-grandchildren', ['escape']],
    ['forked forever', 'fork-without-end', []],
  ])('%s', async (_, name, args) => {
    const { spawn, survivors, ledger } = setUp();
    const hosted = spawn(name, ...args);
    const pids = await printedPids(hosted.child.stdout);
    expect(survivors()).toEqual(expect.arrayContaining(pids));
    await hosted.stop('test');
    expect(survivors()).toEqual([]);
    expect(ledger.entries()).toEqual([]);
  });
});

test('nothing survives in the group, not even processes without their environment', async () => {
  const { spawn } = setUp();
  const hosted = spawn('fork-grandchildren', 'bare');
  const pids = await printedPids(hosted.child.stdout);
  const alive = () => pids.filter((pid) => table.find(pid) !== undefined);
  onTestFinished(() => {
    for (const pid of alive()) process.kill(pid, 'SIGKILL');
  });
  expect(alive()).toEqual(pids);
  await hosted.stop('test');
  // They are killed with the group, but their exit is not reported to us.
  await vi.waitFor(() => expect(alive()).toEqual([]), { interval: 5, timeout: 10_000 });
});

test.each([[[]], [['escape']]])(
  'nothing survives a program that exits by itself before its children (%j)',
  async (args) => {
    const { spawn, survivors, ledger } = setUp();
    const hosted = spawn('fork-grandchildren', 'leave', ...args);
    expect(await hosted.exited).toEqual({ code: 0, signal: null });
    expect(survivors()).toEqual([]);
    expect(ledger.entries()).toEqual([]);
  },
);

test('stopping one program does not affect another', async () => {
  const { host, spawn, survivors } = setUp();
  const staying = spawn('fork-grandchildren');
  const pids = await printedPids(staying.child.stdout);
  await spawn('fork-grandchildren', 'leave', 'escape').exited;
  expect(survivors().sort()).toEqual([staying.pid, ...pids].sort());
  await host.stopAll('test');
  expect(survivors()).toEqual([]);
});
