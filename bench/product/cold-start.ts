import { startServerProcess } from '../../tests/support/product/server-process.ts';
import { type BenchRow, median } from '../report.ts';
import { bareCommand, createScratch, productCommand } from './rig.ts';

const STARTS = 15;
/** On a machine where a bare server needs 84 ms. */
const TARGET_MS = 400;
const TARGET_RATIO = TARGET_MS / 84;

/** From the spawn to the ready line with an empty data directory; interleaved with the bare server. */
export async function coldStart(): Promise<BenchRow[]> {
  const [bare, product]: [number[], number[]] = [[], []];
  for (let index = 0; index < STARTS; index += 1) {
    bare.push(await startOnce(bareCommand));
    product.push(await startOnce(productCommand));
  }
  const ratio = median(product) / median(bare);
  return [
    {
      measure: `cold start to the ready line, median of ${STARTS}, against a bare Node server with a socket`,
      value: `${ratio.toFixed(1)} × (${median(product).toFixed(0)} against ${median(bare).toFixed(0)} ms)`,
      target: `≤ ${TARGET_RATIO.toFixed(1)} × (${TARGET_MS} ms where bare needs 84)`,
      met: ratio <= TARGET_RATIO,
    },
  ];
}

async function startOnce(command: readonly string[]): Promise<number> {
  const { home, dataDir, remove } = createScratch();
  const server = await startServerProcess({ command, dataDir, env: { ...process.env, HOME: home } });
  await server.stop();
  remove();
  return server.readyMs;
}
