import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { acceptanceCases } from './acceptance-cases.ts';
import { leadingCaseIds, readCaseSections } from './listed-cases.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const testSchema = z.array(z.object({ name: z.string(), file: z.string() }));

function listTests(): z.infer<typeof testSchema> {
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [`${root}node_modules/vitest/vitest.mjs`, 'list', '--json'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`The tests could not be listed:\n${stderr}${stdout}`);
  return testSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('['))));
}

const sections = [
  { title: 'Acceptance', inProgress: false, ids: acceptanceCases },
  ...readCaseSections(readFileSync(`${root}docs/cases.md`, 'utf8')),
];
const testsOf = new Map<string, string[]>(sections.flatMap(({ ids }) => ids.map((id) => [id, []])));
const sets = new Set([...testsOf.keys()].map((id) => id.split('/', 1)[0]));
const unknown: string[] = [];
for (const { name, file } of listTests()) {
  const acceptance = [...name.matchAll(/\b(?:mvp|stream)\/TC-\d\.\d[a-z]/g)].map(([id]) => id);
  const listed = leadingCaseIds(name).filter((id) => sets.has(id.split('/', 1)[0]));
  for (const id of new Set([...acceptance, ...listed])) {
    const tests = testsOf.get(id);
    if (tests === undefined) unknown.push(`${id} in ${relative(root, file)}`);
    else tests.push(`${relative(root, file)} › ${name}`);
  }
}

for (const [id, tests] of testsOf) {
  console.log(`${id}\n${tests.map((test) => `    ${test}`).join('\n') || '    NO TEST'}`);
}
console.log('');
for (const { title, inProgress, ids } of sections) {
  const missing = ids.filter((id) => testsOf.get(id)?.length === 0);
  console.log(`${title}: ${ids.length} cases, ${missing.length} without a test.`);
  if (missing.length > 0) console.error(`  Without a test: ${missing.join(', ')}`);
  if (missing.length > 0 && !inProgress) process.exitCode = 1;
  if (missing.length === 0 && inProgress) console.error('  All are there: remove "(in progress)" from its heading.');
}
if (unknown.length > 0) {
  console.error(`Ids that name no case: ${unknown.join(', ')}`);
  process.exitCode = 1;
}
