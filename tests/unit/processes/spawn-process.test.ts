import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spawnProcess } from '../../../server/processes/spawn-process.ts';
import { createProcessTable } from '../../../server/processes/system-process-table.ts';
import { program } from '../../support/processes/program.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const run = (command: string, cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  spawnProcess({ command, args: [], cwd, env });

test('arguments reach the program unchanged, without a shell', async () => {
  const args = ['$HOME', '; rm -rf /', '`id`', '"', '', 'ż'];
  const child = spawnProcess({
    command: process.execPath,
    args: ['-p', 'JSON.stringify(process.argv.slice(1))', '--', ...args],
    cwd: scratchDirectory(),
    env: process.env,
  });
  const [output] = await once(child.stdout, 'data');
  expect(JSON.parse(String(output))).toEqual(args);
});

test('a child leads its own process group', async () => {
  const child = spawnProcess(program('print-nothing'));
  expect(createProcessTable().find(child.pid)).toMatchObject({ groupId: child.pid });
  child.stdin.end();
  await once(child, 'exit');
});

test('a child gets the given working directory and environment', async () => {
  const cwd = scratchDirectory();
  const child = spawnProcess({
    command: process.execPath,
    args: ['-p', 'JSON.stringify([process.cwd(), process.env.ONLY, process.env.HOME])'],
    cwd,
    env: { ONLY: 'this' },
  });
  const [output] = await once(child.stdout, 'data');
  expect(JSON.parse(String(output))).toEqual([cwd, 'this', null]);
});

test('mvp/TC-5.5a a command that is not installed is named', () => {
  expect(() => run('no-such-command', scratchDirectory())).toThrow(
    expect.objectContaining({ code: 'COMMAND_NOT_FOUND', message: expect.stringContaining('no-such-command') }),
  );
});

test('the command is searched on the PATH of the child', () => {
  expect(() => run('node', scratchDirectory(), { PATH: scratchDirectory() })).toThrow(
    expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
  );
});

test.each([
  ['does not exist', 'nowhere'],
  ['is a file', 'file'],
])('a working directory that %s is not reported as a missing command', (_, name) => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'file'), '', { mode: 0o755 });
  expect(() => run(process.execPath, join(directory, name))).toThrow(
    expect.objectContaining({ code: 'CWD_INVALID', message: expect.stringContaining(join(directory, name)) }),
  );
});

test('a file that is not executable is named', () => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'tool'), '', { mode: 0o644 });
  expect(() => run('tool', directory, { PATH: directory })).toThrow(
    expect.objectContaining({
      code: 'COMMAND_NOT_EXECUTABLE',
      message: expect.stringContaining(join(directory, 'tool')),
    }),
  );
});

test('a script without its interpreter is not reported as a missing command', () => {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
  expect(() => run('./script', directory)).toThrow(expect.objectContaining({ code: 'SPAWN_FAILED' }));
});

test('an argument that the system rejects is a SpawnError, too', () => {
  const options = { ...program('print-nothing'), args: ['\0'] };
  expect(() => spawnProcess(options)).toThrow(expect.objectContaining({ name: 'SpawnError', code: 'SPAWN_FAILED' }));
});

test('writing to a child that has exited does not crash the server', async () => {
  const child = spawnProcess(program('exit-at-once'));
  await once(child, 'close');
  child.stdin.write('too late');
  child.stdin.end('much too late');
  await new Promise((resolve) => setImmediate(resolve));
  expect(child.exitCode).toBe(3);
});
