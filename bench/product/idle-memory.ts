import { setTimeout as pause } from 'node:timers/promises';
import { startServerProcess } from '../../tests/support/product/server-process.ts';
import { type BenchRow, median } from '../report.ts';
import { descendantsOf, treeResidentMib } from './process-facts.ts';
import { bareCommand, createScratch, productCommand } from './rig.ts';

const IDLE_MS = 10_000;
const SERVERS = 3;
/** On a machine where a bare server needs 50 MB: 100 MB. */
const TARGET_RATIO = 2;

/** Memory of the server and its children ten seconds after the ready line, without sessions. */
export async function idleMemory(): Promise<BenchRow[]> {
  const [bare, product] = [await idle(bareCommand), await idle(productCommand)];
  const ratio = product.mib / bare.mib;
  return [
    {
      measure: `memory when idle, no sessions, median of ${SERVERS}, against a bare Node server with a socket`,
      value: `${ratio.toFixed(1)} × (${product.mib.toFixed(0)} against ${bare.mib.toFixed(0)} MiB)`,
      target: `≤ ${TARGET_RATIO.toFixed(1)} × (100 MB where bare needs 50)`,
      met: ratio <= TARGET_RATIO,
    },
    {
      measure: 'processes besides the server when idle, no sessions',
      value: String(product.children),
      target: 'none',
      met: product.children === 0,
    },
  ];
}

async function idle(command: readonly string[]): Promise<{ mib: number; children: number }> {
  const scratches = Array.from({ length: SERVERS }, createScratch);
  const servers = await Promise.all(
    scratches.map(({ home, dataDir }) => startServerProcess({ command, dataDir, env: { ...process.env, HOME: home } })),
  );
  await pause(IDLE_MS);
  const mib = median(servers.map(({ pid }) => treeResidentMib(pid)));
  const children = servers.flatMap(({ pid }) => descendantsOf(pid)).length;
  await Promise.all(servers.map((server) => server.stop()));
  for (const scratch of scratches) scratch.remove();
  return { mib, children };
}
