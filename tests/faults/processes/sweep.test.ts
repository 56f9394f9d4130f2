import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createProcessLedger, createProcessTable, sweepProcesses } from '../../../server/processes/index.ts';
import { program } from '../../support/processes/program.ts';
import { watchSurvivors } from '../../support/processes/survivors.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { bundleProgram } from '../bundle-program.ts';

const table = createProcessTable();

interface Scene {
  readonly env: NodeJS.ProcessEnv;
  readonly directory: string;
}

/** Runs a server and kills it when it has printed `word` this many times. */
async function runAndKill(server: string, { env, directory }: Scene, args: string[], word: string, times: number) {
  const child = spawn(process.execPath, [server, directory, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let said = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === word) said += 1;
    if (said === times) {
      child.kill('SIGKILL');
      break;
    }
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
}

async function bundleServer(): Promise<string> {
  return bundleProgram(fileURLToPath(new URL('doomed-server.ts', import.meta.url)), scratchDirectory());
}

const ledgerDirectory = () => join(scratchDirectory(), 'processes');

describe('after kill -9 of the server the sweep leaves nothing of a program that', () => {
  test.each([
    ['ignores everything', ['ignore-everything']],
    ['forked grandchildren', ['fork-grandchildren']],
    ['forked grandchildren that left the group', ['fork-grandchildren', 'escape']],
  ])('%s', async (_, [name = '', ...args]) => {
    const { env, survivors } = watchSurvivors();
    const directory = ledgerDirectory();
    const { command, args: argv } = program(name, ...args);
    await runAndKill(await bundleServer(), { env, directory }, ['1', command, ...argv], 'running', 1);
    expect(survivors()).not.toEqual([]);

    const report = await sweepProcesses({ ledger: createProcessLedger(directory) });
    expect(report).toMatchObject({ swept: [{ label: 'doomed' }], survivors: [] });
    expect(survivors()).toEqual([]);
    expect(createProcessLedger(directory).entries()).toEqual([]);
  });

  test('was being spawned when the server died, at any moment', async () => {
    const server = await bundleServer();
    const { env, survivors } = watchSurvivors();
    for (let times = 1; times <= 20; times += 1) {
      const scene = { env, directory: ledgerDirectory() };
      await runAndKill(server, scene, ['1000', 'sleep', '600'], 'spawning', times);
      await sweepProcesses({ ledger: createProcessLedger(scene.directory) });
      expect(survivors(), `killed at spawn ${times}`).toEqual([]);
    }
  });
});

describe('the sweep', () => {
  async function startStranger(...args: string[]) {
    const { env, survivors } = watchSurvivors();
    const { command, args: argv } = program('fork-grandchildren', ...args);
    const stranger = spawn(command, argv, { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const exited = once(stranger, 'exit');
    await once(stranger.stdout, 'data');
    return { pid: stranger.pid ?? 0, exited, survivors };
  }

  test('does not touch a process with the reused pid of a child', async () => {
    const { pid, survivors } = await startStranger();
    const ledger = createProcessLedger(ledgerDirectory());
    ledger.record('3f2b8c1e-0000-4000-8000-000000000001', { pid, startTime: 'another time' }, 'former child');
    const report = await sweepProcesses({ ledger });
    expect(report.survivors).toEqual([]);
    expect(survivors()).toHaveLength(3);
    expect(ledger.entries()).toEqual([]);
  });

  test('does not touch an unrelated group whose leader had the reused pid of a child and has exited', async () => {
    const { pid, exited, survivors } = await startStranger('leave');
    await exited;
    const ledger = createProcessLedger(ledgerDirectory());
    ledger.record('3f2b8c1e-0000-4000-8000-000000000001', { pid, startTime: 'another time' }, 'former child');
    await sweepProcesses({ ledger });
    expect(survivors()).toHaveLength(2);
  });

  test('kills the process in the ledger with its group, even without the marker', async () => {
    const { pid, survivors } = await startStranger();
    const ledger = createProcessLedger(ledgerDirectory());
    const startTime = table.find(pid)?.startTime ?? '';
    ledger.record('3f2b8c1e-0000-4000-8000-000000000001', { pid, startTime }, 'child without environment');
    await sweepProcesses({ ledger });
    expect(survivors()).toEqual([]);
  });

  test('keeps the entry of a process it could not kill for the next start', async () => {
    const id = '3f2b8c1e-0000-4000-8000-000000000001';
    const ledger = createProcessLedger(ledgerDirectory());
    ledger.announce(id);
    // Higher than any pid, so that killing it does nothing.
    const immortal = { pid: 2 ** 30, groupId: 2 ** 30, startTime: 'x', environment: `LIMINAL_PROCESS=${id}` };
    const clock = {
      now: () => '',
      monotonic: () => 0,
      setTimeout: (run: () => void) => setImmediate(run),
      clearTimeout: () => {},
    };
    const report = await sweepProcesses({ ledger, clock, table: { find: () => undefined, scan: () => [immortal] } });
    expect(report.survivors).toEqual([immortal.pid]);
    expect(ledger.entries()).toEqual([{ id }]);
  });
});
