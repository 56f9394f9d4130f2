import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../fixtures/programs/strangers.mjs', import.meta.url));

export interface Strangers {
  /** Resolves when fifteen more connections have been opened. */
  more(): Promise<void>;
}

/**
 * Floods a port from another process: opens `atOnce` connections, then `perSecond` every second, which send slow headers,
 * slow bodies and upgrades, or nothing. Resolves when the first ones are connected. Stops with the test.
 */
export async function startStrangers(port: number, atOnce: number, perSecond: number): Promise<Strangers> {
  const args = [port, atOnce, perSecond].map(String);
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const more = async () => {
    if ((await lines.next()).done) throw new Error('The strangers have stopped.');
  };
  await more();
  return { more };
}
