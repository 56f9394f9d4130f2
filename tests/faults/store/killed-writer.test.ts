import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { openCountStore } from '../../support/store/counting-store.ts';
import { bundleProgram } from '../bundle-program.ts';

const KILLS = 200;
const LANES = 3;

interface Death {
  readonly started: number;
  readonly finished: number;
}

/** Runs the writer and kills it when it has printed this many lines. */
async function writeUntilKilled(program: string, directory: string, from: number, lines: number): Promise<Death> {
  const writer = spawn(process.execPath, [program, directory, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(writer, 'close');
  let said = 0;
  let started = from;
  let finished = from;
  for await (const line of createInterface({ input: writer.stdout })) {
    const [sign, count] = line.split(' ');
    if (sign === '>') started = Number(count);
    if (sign === '<') finished = Number(count);
    said += 1;
    if (said === lines) writer.kill('SIGKILL');
  }
  expect((await closed)[1]).toBe('SIGKILL');
  return { started, finished };
}

test('a writer killed at random points leaves the complete old or new file', async () => {
  const program = await bundleProgram(fileURLToPath(new URL('killed-writer.ts', import.meta.url)), scratchDirectory());
  let kills = 0;
  let unfinished = 0;

  const lane = async () => {
    const directory = scratchDirectory();
    let count = 0;
    while (kills < KILLS) {
      kills += 1;
      const { started, finished } = await writeUntilKilled(
        program,
        directory,
        count,
        1 + Math.floor(Math.random() * 16),
      );
      const hadLeftovers = readdirSync(directory).some((name) => name.endsWith('.tmp'));
      const store = await openCountStore(directory);
      expect(store.movedAside).toBeUndefined();
      count = store.read().count;
      expect(count).toBeGreaterThanOrEqual(finished);
      expect(count).toBeLessThanOrEqual(started);
      if (count > 0) expect(store.read().ballast).toBe(String(count).padEnd(64 * 1024, 'x'));
      expect(readdirSync(directory).every((name) => name === 'count.json')).toBe(true);
      if (hadLeftovers) unfinished += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));

  // Otherwise all kills happened between saves and the test proves nothing.
  expect(unfinished).toBeGreaterThan(KILLS / 20);
});
