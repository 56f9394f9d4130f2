import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLineReader, readInSlices } from '../../../server/processes/index.ts';

function burn(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('safe/linear output that takes long to handle is read in slices, in order, and ends after the last piece', async () => {
  const stdout = new PassThrough();
  const lines: string[] = [];
  const reader = createLineReader({
    maxLineBytes: 1_000_000,
    onOversized: () => undefined,
    onLine(line) {
      burn(0.2);
      lines.push(line);
    },
  });
  let rounds = 0;
  let isOver = false;
  const countRounds = async () => {
    for (; !isOver; rounds += 1) await nextRound();
  };
  const counting = countRounds();
  readInSlices(stdout, reader.push);
  const ended = new Promise<void>((resolve) => {
    stdout.once('end', () => {
      reader.end();
      resolve();
    });
  });
  const printed = Array.from({ length: 1_000 }, (_, index) => `line ${index} ${'x'.repeat(90)}`);

  stdout.end(`${printed.join('\n')}\nlast`);
  await ended;
  isOver = true;
  await counting;

  expect(lines).toEqual([...printed, 'last']);
  // At least 200 ms of work in slices of 15 ms.
  expect(rounds).toBeGreaterThan(8);
});
