import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchReport, replaceSection, toMarkdown } from './report.ts';

interface Bench {
  run(): Promise<BenchReport>;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const HEAD = `# Benchmarks

Measured by \`npm run bench <name> -- --write\`, which replaces the section of that name. Times depend on the machine; the
ratios and counts are what the targets are about.
`;

const known = readdirSync(HERE).filter((name) => existsSync(join(HERE, name, 'main.ts')));
const words = process.argv.slice(2);
const asked = words.filter((word) => !word.startsWith('--'));
const unknown = [
  ...asked.filter((name) => !known.includes(name)),
  ...words.filter((word) => word.startsWith('--') && word !== '--write'),
];

if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Known benchmarks: ${known.join(', ')}. Option: --write`);
  process.exitCode = 2;
} else {
  for (const name of asked.length > 0 ? asked : known) await runBench(name);
}

async function runBench(name: string): Promise<void> {
  const bench = (await import(`./${name}/main.ts`)) as Bench;
  const report = await bench.run();
  const section = `${toMarkdown(report)}\n\n${machine()}`;
  console.log(`${section}\n`);
  if (words.includes('--write')) writeSection(name, section);
  if (report.rows.some((row) => row.met === false)) process.exitCode = 1;
}

function writeSection(name: string, section: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : HEAD;
  writeFileSync(PAGE, replaceSection(page, name, section));
}

function machine(): string {
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores.`;
}
