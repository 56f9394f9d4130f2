import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessHost, createProcessLedger } from '../../../../server/processes/index.ts';
import { createProjectFiles } from '../../../../server/providers/acp/workspace/project-files.ts';
import { createTerminals } from '../../../../server/providers/acp/workspace/terminals.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

function createRig() {
  const projectDir = scratchDirectory();
  const host = createProcessHost({ ledger: createProcessLedger(join(scratchDirectory(), 'data')) });
  onTestFinished(() => host.stopAll('the test is over'));
  let ids = 0;
  const terminals = createTerminals({
    host,
    files: createProjectFiles(projectDir),
    projectDir,
    env: process.env,
    newId: () => `terminal-${++ids}`,
    label: 'terminal',
  });
  const run = (code: string, more: object = {}) =>
    terminals.create({ command: process.execPath, args: ['-e', code], ...more });
  return { terminals, projectDir, run };
}

describe('a terminal of an agent', { timeout: 30_000 }, () => {
  it('runs a program without a shell in the project directory, with the requested variables', async () => {
    const { terminals, projectDir, run } = createRig();
    const id = await run('console.log(process.cwd(), process.argv[1], process.env.WORD)', {
      args: ['-e', 'console.log(process.cwd(), process.argv[1], process.env.WORD)', '$(whoami)'],
      env: [{ name: 'WORD', value: 'hello' }],
    });
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: 0, signal: null });
    expect(terminals.output(id)).toEqual({
      output: `${projectDir} $(whoami) hello\n`,
      truncated: false,
      exitStatus: { exitCode: 0, signal: null },
    });
  });

  it('keeps the last bytes of stdout and stderr, in whole characters', async () => {
    const { terminals, run } = createRig();
    const id = await run("process.stderr.write('lost'); process.stdout.write('é'.repeat(50))", { outputByteLimit: 9 });
    await terminals.waitForExit(id);
    expect(terminals.output(id)).toMatchObject({ output: 'éééé', truncated: true });
  });

  it('can be read after it was killed', async () => {
    const { terminals, run } = createRig();
    const id = await run('setInterval(() => {}, 1000)');
    expect(terminals.output(id)).toEqual({ output: '', truncated: false });
    await terminals.kill(id);
    expect(terminals.output(id)).toMatchObject({ exitStatus: { exitCode: null, signal: 'SIGKILL' } });
  });

  it('is unknown to the agent after its release, but can still be displayed', async () => {
    const { terminals, run } = createRig();
    const id = await run("console.log('done')");
    await terminals.waitForExit(id);
    await terminals.release(id);
    expect(() => terminals.output(id)).toThrow(`There is no terminal ${id}.`);
    expect(terminals.read(id)).toEqual({ output: 'done\n', exitCode: 0 });
    expect(terminals.read('other')).toBeUndefined();
  });

  it('ends with its session', async () => {
    const { terminals, run } = createRig();
    const exited = terminals.waitForExit(await run('setInterval(() => {}, 1000)'));
    await terminals.close();
    expect(await exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('does not start when its session ends meanwhile', async () => {
    const { terminals, run } = createRig();
    const starting = run('setInterval(() => {}, 1000)');
    await Promise.all([expect(starting).rejects.toThrow('The session has ended.'), terminals.close()]);
  });

  it('is refused outside the project and for a missing program', async () => {
    const { terminals, run } = createRig();
    await expect(run('', { cwd: '/' })).rejects.toThrow('outside the project directory');
    await expect(terminals.create({ command: 'no-such-program-anywhere' })).rejects.toThrow('was not found');
  });
});
