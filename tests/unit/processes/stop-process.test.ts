import { once } from 'node:events';
import { expect, test } from 'vitest';
import { spawnProcess } from '../../../server/processes/spawn-process.ts';
import { createStopper } from '../../../server/processes/stop-process.ts';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { printedPids, program } from '../../support/processes/program.ts';

const table = createProcessTable();

async function start(name: string) {
  const child = spawnProcess(program(name));
  const exit = once(child, 'exit');
  const clock = createManualClock();
  const stopper = createStopper(child, clock);
  if (name === 'ignore-everything') await printedPids(child.stdout);
  return { child, exit, clock, stopper };
}

test('closing stdin stops a program that reads it', async () => {
  const { exit, clock, stopper } = await start('print-nothing');
  stopper.stop('no longer needed');
  expect(await exit).toEqual([0, null]);
  expect(stopper.reason).toBe('no longer needed');
  expect(clock.pending).toBe(0);
});

test('a program that ignores stdin is killed after 5 s and not before', async () => {
  const { child, exit, clock, stopper } = await start('ignore-everything');
  stopper.stop('shutdown');
  clock.advance(4_999);
  expect(table.find(child.pid)).toBeDefined();
  clock.advance(1);
  expect(await exit).toEqual([null, 'SIGKILL']);
});

test('the first reason wins and a second stop does not extend the grace period', async () => {
  const { exit, clock, stopper } = await start('ignore-everything');
  stopper.stop('first');
  clock.advance(3_000);
  stopper.stop('second');
  expect(clock.pending).toBe(1);
  clock.advance(2_000);
  await exit;
  expect(stopper.reason).toBe('first');
});

test('a kill during the grace period kills at once and keeps the first reason', async () => {
  const { exit, clock, stopper } = await start('ignore-everything');
  stopper.stop('first');
  stopper.kill('second');
  expect(await exit).toEqual([null, 'SIGKILL']);
  expect(stopper.reason).toBe('first');
  expect(clock.pending).toBe(0);
});

test('a program that exits by itself has no stop reason', async () => {
  const { exit, clock, stopper } = await start('exit-at-once');
  await exit;
  stopper.stop('too late');
  stopper.kill('too late');
  expect(stopper.reason).toBeUndefined();
  expect(clock.pending).toBe(0);
});
