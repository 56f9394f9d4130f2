import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProcessLedger } from '../../../server/processes/process-ledger.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const ID = '3f2b8c1e-0000-4000-8000-000000000001';
const leader = { pid: 4711, startTime: 'boot:42' };

test('lists an announced child before it has a pid', () => {
  const directory = scratchDirectory();
  createProcessLedger(directory).announce(ID);
  expect(createProcessLedger(directory).entries()).toEqual([{ id: ID }]);
});

test('lists a recorded child with its pid and start time', () => {
  const directory = scratchDirectory();
  const ledger = createProcessLedger(directory);
  ledger.announce(ID);
  ledger.record(ID, leader, 'codex');
  expect(createProcessLedger(directory).entries()).toEqual([{ id: ID, leader, label: 'codex' }]);
});

test('a removed child leaves nothing', () => {
  const directory = scratchDirectory();
  const ledger = createProcessLedger(directory);
  ledger.announce(ID);
  ledger.record(ID, leader, 'codex');
  ledger.remove(ID);
  ledger.remove(ID);
  expect(readdirSync(directory)).toEqual([]);
});

test.each(['', '{"pid":', '{"pid":1,"startTime":"x","label":"init"}', '{"pid":-5,"startTime":"x","label":"all"}'])(
  'a damaged record %j has no pid, but its child can still be found by id',
  (text) => {
    const directory = scratchDirectory();
    writeFileSync(join(directory, `${ID}.json`), text);
    expect(createProcessLedger(directory).entries()).toEqual([{ id: ID }]);
  },
);

test('ignores other files in the directory', () => {
  const directory = scratchDirectory();
  for (const name of ['notes.json', `${ID}.tmp`, '.DS_Store']) writeFileSync(join(directory, name), '{}');
  expect(createProcessLedger(directory).entries()).toEqual([]);
});

test('only the user can access the records', () => {
  const directory = join(scratchDirectory(), 'processes');
  const ledger = createProcessLedger(directory);
  ledger.announce(ID);
  ledger.record(ID, leader, 'codex');
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, `${ID}.json`)).mode & 0o777).toBe(0o600);
});
