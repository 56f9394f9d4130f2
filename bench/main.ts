import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSection, writeSection } from './benchmarks-page.ts';
import type { BenchReport } from './report.ts';

interface Bench {
  run(): Promise<BenchReport>;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** Takes minutes and has its own command. */
const SOAK = 'soak';
/** Without it the results are also written to `docs/benchmarks.md`. */
const PRINT_ONLY = '--print-only';

const known = readdirSync(HERE).filter((name) => name !== SOAK && existsSync(join(HERE, name, 'main.ts')));
const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith('--'));
const unknown = [
  ...asked.filter((name) => !known.includes(name)),
  ...words.filter((word) => word.startsWith('--') && word !== PRINT_ONLY),
];

if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Known benchmarks: ${known.join(', ')}. Option: ${PRINT_ONLY}`);
  process.exitCode = 2;
} else {
  for (const name of asked.length > 0 ? asked : known) await runBench(name);
}

async function runBench(name: string): Promise<void> {
  const bench = (await import(`./${name}/main.ts`)) as Bench;
  const report = await bench.run();
  const section = toSection(report);
  console.log(`${section}\n`);
  if (!words.includes(PRINT_ONLY)) writeSection(name, section);
  if (report.rows.some((row) => row.met === false)) process.exitCode = 1;
}
