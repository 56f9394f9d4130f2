import { describe, expect, test } from 'vitest';
import { parseStat } from '../../../server/processes/linux-process-table.ts';
import { createProcessProbe } from '../../../server/processes/process-start-time.ts';
import { createPsProcessTable, parsePs } from '../../../server/processes/ps-process-table.ts';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';

describe('/proc/<pid>/stat', () => {
  const tail = 'S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 200 18446744073709551615';

  test('contains the group, and the start time together with the boot id', () => {
    expect(parseStat(`42 (node) ${tail}`, 'boot')).toEqual({ pid: 42, groupId: 20, startTime: 'boot:987654' });
  });

  test('may contain any name', () => {
    expect(parseStat(`42 (a) Z 1 (b c) ${tail}`, 'boot')).toMatchObject({ groupId: 20, startTime: 'boot:987654' });
  });

  test('of a zombie counts as no process', () => {
    expect(parseStat(`42 (node) ${tail.replace('S', 'Z')}`, 'boot')).toBeUndefined();
  });
});

describe('ps', () => {
  const output = [
    '    1     1 Ss   Mon Jan  6 09:00:00 2025 /sbin/launchd',
    '  501   500 S    Mon Jan 13 10:11:12 2025 node agent.js HOME=/Users/me LIMINAL_PROCESS=the-mark',
    '  502   500 Z    Mon Jan 13 10:11:13 2025 (node)',
    'something else',
  ].join('\n');

  test('contains group, start time and environment, without zombies', () => {
    expect(parsePs(output)).toEqual([
      { pid: 1, groupId: 1, startTime: 'Mon Jan  6 09:00:00 2025', environment: '/sbin/launchd' },
      {
        pid: 501,
        groupId: 500,
        startTime: 'Mon Jan 13 10:11:12 2025',
        environment: 'node agent.js HOME=/Users/me LIMINAL_PROCESS=the-mark',
      },
    ]);
  });

  test('is read for one process, or for all with their environment', () => {
    const asked: string[][] = [];
    const table = createPsProcessTable((args) => {
      asked.push(args);
      return output;
    });
    table.find(1);
    table.scan();
    expect(asked).toEqual([
      ['-o', 'pid=,pgid=,stat=,lstart=', '-p', '1'],
      ['-A', '-E', '-ww', '-o', 'pid=,pgid=,stat=,lstart=,command='],
    ]);
  });
});

test('a process is the same only if its start time is the same', () => {
  const probe = createProcessProbe();
  expect(probe.isRunning(probe.self)).toBe(true);
  expect(probe.isRunning({ ...probe.self, startTime: `${probe.self.startTime}0` })).toBe(false);
  expect(probe.isRunning({ ...probe.self, pid: 2 ** 30 })).toBe(false);
});

test('the table of this system contains the environment of this process', () => {
  const self = createProcessTable()
    .scan()
    .find(({ pid }) => pid === process.pid);
  expect(self?.environment).toContain(`PATH=${process.env.PATH}`);
});
