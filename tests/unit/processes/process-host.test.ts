import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createProcessHost } from '../../../server/processes/process-host.ts';
import { createProcessLedger, type ProcessLedger } from '../../../server/processes/process-ledger.ts';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';
import { program } from '../../support/processes/program.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const table = createProcessTable();
const marked = (id: string) => table.scan().filter(({ environment }) => environment.includes(id));

function setUp(overrides: Partial<ProcessLedger> = {}) {
  const directory = join(scratchDirectory(), 'processes');
  const ledger = { ...createProcessLedger(directory), ...overrides };
  const onLeftover = vi.fn();
  return { directory, ledger, onLeftover, host: createProcessHost({ ledger, onLeftover }) };
}

/** Prints the given text, then exits. */
const script = (code: string) => ({ ...program('print-nothing'), args: ['-e', code], label: 'script' });

describe('a process that exited', () => {
  test('by itself has no stop reason', async () => {
    const { host } = setUp();
    expect(await host.spawn(program('exit-at-once')).exited).toEqual({ code: 3, signal: null });
  });

  test('on request has the first reason that was given', async () => {
    const { host } = setUp();
    const hosted = host.spawn(program('print-nothing'));
    const [first, second] = await Promise.all([hosted.stop('idle'), hosted.stop('shutdown')]);
    expect(first).toEqual({ code: 0, signal: null, stopReason: 'idle' });
    expect(second).toEqual(first);
    expect(await hosted.stop('again')).toEqual(first);
  });

  test('by a signal reports the signal', async () => {
    const { host } = setUp();
    const hosted = host.spawn(program('print-nothing'));
    expect(await hosted.kill('gone mad')).toEqual({ code: null, signal: 'SIGKILL', stopReason: 'gone mad' });
  });

  test('has delivered all its output', async () => {
    const { host } = setUp();
    const hosted = host.spawn(script('process.stdout.write("x".repeat(1_000_000))'));
    let length = 0;
    hosted.child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    await hosted.exited;
    expect(length).toBe(1_000_000);
  });

  test('keeps the end of its stderr', async () => {
    const { host } = setUp();
    const hosted = host.spawn(script('console.error("a".repeat(20_000)); console.error("the last words")'));
    await hosted.exited;
    expect(hosted.stderrTail()).toHaveLength(8 * 1024);
    expect(hosted.stderrTail()).toMatch(/a\nthe last words\n$/);
  });
});

describe('descendants', () => {
  /** Two that ignore SIGTERM, one for each value of TASK, outside the group of their parent. */
  const forkTasks = `
    const { spawn } = require('node:child_process');
    const code = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)";
    for (const TASK of ['1', '10']) {
      const env = { ...process.env, TASK };
      spawn(process.execPath, ['-e', code], { detached: true, env, stdio: ['ignore', 'inherit', 'ignore'] });
    }
    process.stdin.resume();`;

  test('are ended by their environment, others are left alone', async () => {
    const { host } = setUp();
    const hosted = host.spawn(script(forkTasks));
    let output = '';
    hosted.child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await vi.waitFor(() => expect(output.match(/\d+\n/g)).toHaveLength(2), 10_000);
    const running = () => table.scan().filter(({ pid }) => output.split('\n').includes(String(pid))).length;
    expect(await hosted.endProcesses('TASK', '2')).toBe(false);
    expect(running()).toBe(2);
    expect(await hosted.endProcesses('TASK', '1')).toBe(true);
    expect(running()).toBe(1);
    await hosted.kill('done');
    expect(running()).toBe(0);
  });
});

describe('the ledger', () => {
  test('contains the child while it runs and not after its exit', async () => {
    const { host, ledger } = setUp();
    const hosted = host.spawn(program('print-nothing'));
    expect(ledger.entries()).toMatchObject([{ label: 'print-nothing', leader: { pid: hosted.pid } }]);
    await hosted.stop('done');
    expect(ledger.entries()).toEqual([]);
  });

  test('contains the child before it runs, under the marker in its environment', async () => {
    const announced: string[] = [];
    const { host, ledger } = setUp();
    const announce = ledger.announce;
    ledger.announce = (id) => {
      announced.push(id);
      expect(marked(id)).toEqual([]);
      announce(id);
    };
    const hosted = host.spawn(program('print-nothing'));
    const [id = ''] = announced;
    expect(marked(id)).toMatchObject([{ pid: hosted.pid }]);
    await hosted.stop('done');
  });

  test('that cannot be written prevents the child from starting', () => {
    const { host, directory } = setUp();
    rmSync(directory, { recursive: true });
    expect(() => host.spawn(program('print-nothing'))).toThrow(expect.objectContaining({ code: 'LEDGER_FAILED' }));
  });

  test('that cannot be written once the child runs kills it', async () => {
    const ids: string[] = [];
    const { host } = setUp({
      record: (id) => {
        ids.push(id);
        throw new Error('disk full');
      },
    });
    expect(() => host.spawn(program('ignore-everything'))).toThrow(expect.objectContaining({ code: 'LEDGER_FAILED' }));
    const [id = ''] = ids;
    await vi.waitFor(() => expect(marked(id)).toEqual([]), { interval: 5, timeout: 10_000 });
  });

  test('forgets a child that could not be spawned', () => {
    const { host, ledger } = setUp();
    expect(() => host.spawn({ ...program('print-nothing'), command: 'no-such-command' })).toThrow(
      expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
    );
    expect(ledger.entries()).toEqual([]);
  });

  test('that cannot be cleaned up is reported, and the exit still resolves', async () => {
    const { host, onLeftover } = setUp({
      remove: () => {
        throw new Error('read-only');
      },
    });
    await host.spawn(program('exit-at-once')).exited;
    expect(onLeftover).toHaveBeenCalledWith(expect.stringContaining('read-only'));
  });
});

describe('the host', () => {
  test('mvp/TC-5.3a stops everything it started and starts nothing more', async () => {
    const { host, ledger } = setUp();
    const processes = [host.spawn(program('print-nothing')), host.spawn(program('print-nothing'))];
    await host.stopAll('shutdown');
    expect(processes.map(({ child }) => child.exitCode)).toEqual([0, 0]);
    expect(ledger.entries()).toEqual([]);
    expect(() => host.spawn(program('print-nothing'))).toThrow(expect.objectContaining({ code: 'HOST_CLOSED' }));
  });

  test('kills everything in one tick', async () => {
    const { host } = setUp();
    const hosted = host.spawn(program('print-nothing'));
    host.killAll('second signal');
    expect(await once(hosted.child, 'exit')).toEqual([null, 'SIGKILL']);
    await hosted.exited;
  });

  test('adds its marker to an existing one of an outer server', async () => {
    const { host } = setUp();
    const request = script('process.stdout.write(process.env.LIMINAL_PROCESS)');
    const hosted = host.spawn({ ...request, env: { ...process.env, LIMINAL_PROCESS: 'outer' } });
    const [output] = await once(hosted.child.stdout, 'data');
    expect(String(output)).toMatch(/^outer,[0-9a-f-]{36}$/);
    await hosted.exited;
  });
});
