import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type BenchReport, replaceSection, toMarkdown } from './report.ts';

const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const HEAD = `# Benchmarks

Measured by \`npm run bench [name]\`, the soaks by \`npm run soak -- [--faults]\`; each replaces its section. Times depend on the machine; the targets are about ratios and counts.
`;

/** A report and the machine it was measured on. */
export function toSection(report: BenchReport): string {
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores.`;
  return `${toMarkdown(report)}\n\n${machine}`;
}

/** Writes a section of `docs/benchmarks.md`, replacing the previous one of that name. */
export function writeSection(name: string, section: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : HEAD;
  writeFileSync(PAGE, replaceSection(page, name, section));
}
