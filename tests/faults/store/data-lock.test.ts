import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { acquireDataLock } from '../../../server/store/data-lock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { failureKinds, forEveryCall } from '../../support/store/failing-file-system.ts';
import { createFakeProcesses } from '../../support/store/fake-processes.ts';
import { bundleProgram } from '../bundle-program.ts';

interface Contender {
  readonly name: string;
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  answer(): Promise<string>;
}

function startContender(program: string, dataDir: string, name: string): Contender {
  const child = spawn(process.execPath, [program, dataDir, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name,
    process: child,
    answer: async () => String((await lines.next()).value),
  };
}

async function killAndWait({ process: child }: Contender): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('of 20 simultaneous starts one owns the directory and all others find it, also after every kill of the owner', async () => {
  const program = await bundleProgram(fileURLToPath(new URL('lock-contender.ts', import.meta.url)), scratchDirectory());
  const dataDir = scratchDirectory();
  let contenders = Array.from({ length: 20 }, (_, index) => startContender(program, dataDir, `contender-${index}`));
  await Promise.all(contenders.map((contender) => contender.answer()));

  while (contenders.length > 12) {
    for (const contender of contenders) contender.process.stdin.write('try\n');
    const answers = await Promise.all(contenders.map((contender) => contender.answer()));
    const owners = contenders.filter((_, index) => answers[index] === 'owner');
    expect(owners, answers.join('\n')).toHaveLength(1);
    const [owner] = owners;
    if (owner === undefined) return;
    const found = answers.filter((answer) => answer === `found http://${owner.name}/`);
    expect(found).toHaveLength(contenders.length - 1);

    await killAndWait(owner);
    contenders = contenders.filter((contender) => contender !== owner);
  }
});

describe.each(failureKinds)('the file system failing $when a call, $length', (kind) => {
  test('at any call of a start does not block the directory once that process is gone', async () => {
    const calls = await forEveryCall(kind, async ({ fs }, call) => {
      const dataDir = scratchDirectory();
      const processes = createFakeProcesses();
      const former = processes.start();
      await acquireDataLock({ dataDir, probe: former });
      processes.kill(former);

      const failing = processes.start();
      const result = await acquireDataLock({ dataDir, probe: failing, fs }).catch(() => undefined);
      const other = await acquireDataLock({ dataDir, probe: processes.start() });
      if (result?.kind === 'acquired') expect(other.kind, `call ${call}`).toBe('busy');
      if (other.kind === 'acquired') return;

      processes.kill(failing);
      const next = await acquireDataLock({ dataDir, probe: processes.start() });
      expect(next.kind, `call ${call}`).toBe('acquired');
    });
    expect(calls).toBeGreaterThan(10);
  });
});
