import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openHere } from '../../support/journal/keeping-scenario.ts';
import { SESSION } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createRandom } from '../../support/seeded-random.ts';
import { bundleProgram } from '../bundle-program.ts';

const KILLS = process.env.LIMINAL_CRASHES === 'all' ? 200 : 20;

interface Death {
  /** Characters that were recorded at all, that were recorded a second before, and that were on disk for certain. */
  readonly recorded: number;
  readonly earlier: number;
  readonly durable: number;
}

/** Runs the recorder and kills it when it has printed this many lines. */
async function recordUntilKilled(program: string, dataDir: string, from: number, lines: number): Promise<Death> {
  const recorder = spawn(process.execPath, [program, dataDir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(recorder, 'close');
  const recorded: { readonly count: number; readonly at: number }[] = [];
  let durable = from;
  let said = 0;
  let killedAt = 0;
  for await (const line of createInterface({ input: recorder.stdout })) {
    const [sign, count, at] = line.split(' ');
    expect(sign).not.toBe('!');
    if (sign === '>') recorded.push({ count: Number(count), at: Number(at) });
    if (sign === '<') durable = Number(count);
    said += 1;
    if (said === lines) {
      killedAt = Date.now();
      recorder.kill('SIGKILL');
    }
  }
  expect((await closed)[1]).toBe('SIGKILL');
  const earlier = recorded.filter(({ at }) => at <= killedAt - 1_000).at(-1)?.count ?? from;
  return { recorded: recorded.at(-1)?.count ?? from, earlier, durable };
}

const TIME = { timeout: 60_000 + KILLS * 3_000 };

it(
  'keep/journal after a kill at any moment everything is there that was durable, or recorded a second before',
  TIME,
  async () => {
    const program = await bundleProgram(
      fileURLToPath(new URL('killed-recorder.ts', import.meta.url)),
      scratchDirectory(),
    );
    const dataDir = scratchDirectory();
    const random = createRandom(99);
    let length = 0;
    let locks = 0;

    for (let kill = 0; kill < KILLS; kill += 1) {
      const death = await recordUntilKilled(program, dataDir, length, 1 + random.below(kill % 10 === 9 ? 600 : 60));
      if (existsSync(join(dataDir, 'journal.sqlite.lock'))) locks += 1;

      const { journal, warnings } = await openHere(dataDir);
      const { entries } = await journal.read(SESSION);
      const kept = await journal.open(SESSION);
      await journal.close();
      const [entry] = entries;
      const text = entry?.type === 'message' ? entry.content : '';
      expect(text.length, `kill ${kill}`).toBeGreaterThanOrEqual(Math.max(death.durable, death.earlier));
      expect(text.length, `kill ${kill}`).toBeLessThanOrEqual(death.recorded + 40);
      expect(kept?.hasUnfinished ?? false, `kill ${kill}`).toBe(text.length > 0 || kept !== undefined);
      expect(warnings).toEqual([]);
      length = text.length;
    }
    expect(length).toBeGreaterThan(0);
    // Otherwise the kills came before SQLite was used.
    expect(locks).toBeGreaterThan(KILLS / 4);
  },
);
