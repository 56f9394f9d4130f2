import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The acceptance cases: set → section → letters. `stream` 6.4a and 6.4c were struck out and do not exist. */
const cases = {
  mvp: {
    '1.1': 'ab',
    '1.2': 'abcd',
    '1.3': 'ab',
    '1.4': 'ab',
    '2.1': 'abc',
    '2.2': 'abcdef',
    '2.3': 'ab',
    '2.4': 'abc',
    '2.5': 'ab',
    '3.1': 'ab',
    '3.2': 'ab',
    '3.3': 'abc',
    '3.4': 'a',
    '3.5': 'ab',
    '3.6': 'abc',
    '3.7': 'abc',
    '4.1': 'ab',
    '4.2': 'ab',
    '4.3': 'ab',
    '4.4': 'abc',
    '4.5': 'ab',
    '4.6': 'ab',
    '4.7': 'a',
    '5.1': 'ab',
    '5.2': 'abcd',
    '5.3': 'a',
    '5.4': 'a',
    '5.5': 'ab',
    '5.6': 'ab',
  },
  stream: {
    '1.1': 'abcdef',
    '1.2': 'abc',
    '1.3': 'ab',
    '2.1': 'abc',
    '2.2': 'ab',
    '3.1': 'abc',
    '3.2': 'abc',
    '3.3': 'abcdefg',
    '3.4': 'abc',
    '4.1': 'abc',
    '4.2': 'abc',
    '5.1': 'abcd',
    '5.2': 'abcdef',
    '5.3': 'ab',
    '5.4': 'abcdef',
    '6.1': 'abcdef',
    '6.2': 'abcd',
    '6.3': 'ab',
    '6.4': 'b',
    '7.1': 'abc',
    '7.2': 'abc',
    '7.3': 'ab',
    '7.4': 'a',
    '8.1': 'abc',
    '8.2': 'ab',
    '8.3': 'ab',
  },
} as const;

const ids = Object.entries(cases).flatMap(([set, sections]) =>
  Object.entries(sections).flatMap(([section, letters]) =>
    Array.from(letters, (letter) => `${set}/TC-${section}${letter}`),
  ),
);

const root = fileURLToPath(new URL('..', import.meta.url));
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

const known = new Set(ids);
const tests = listTests();
const carriers = new Map<string, string[]>(ids.map((id) => [id, []]));
const strangers: string[] = [];
for (const { name, file } of tests) {
  for (const [id] of name.matchAll(/\b(?:mvp|stream)\/TC-\d\.\d[a-z]/g)) {
    if (known.has(id)) carriers.get(id)?.push(`${relative(root, file)} › ${name}`);
    else strangers.push(`${id} in ${relative(root, file)}`);
  }
}

for (const [id, names] of carriers)
  console.log(`${id}\n${names.map((name) => `    ${name}`).join('\n') || '    NO TEST'}`);
const missing = ids.filter((id) => carriers.get(id)?.length === 0);
console.log(`\n${ids.length} cases, ${ids.length - missing.length} with a test, ${missing.length} without.`);
if (missing.length > 0) console.error(`Without a test: ${missing.join(', ')}`);
if (strangers.length > 0) console.error(`Ids that are no case: ${strangers.join(', ')}`);
if (missing.length + strangers.length > 0) process.exitCode = 1;
