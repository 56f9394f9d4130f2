import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The line with the bug and the line that fixes it. */
export const BROKEN_LINE = '  return items.reduce((sum, item) => sum + item.price, 0);';
export const FIXED_LINE = '  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);';
export const BROKEN_FILE = 'src/cart.js';

const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'corner-shop', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'README.md': '# Corner shop\n\nA cart that adds up what is in it.\n\nRun the tests with `npm test`.\n',
  [BROKEN_FILE]: `/** What a cart costs, in cents. */\nexport function total(items) {\n${BROKEN_LINE}\n}\n`,
  'test/cart.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from '../src/cart.js';

test('one of each', () => {
  assert.equal(total([{ price: 250, quantity: 1 }, { price: 100, quantity: 1 }]), 350);
});

test('several of one thing', () => {
  assert.equal(total([{ price: 250, quantity: 3 }]), 750);
});
`,
};

/** Writes the demo's sample project, which has one failing test. */
export async function writeDemoProject(directory: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** The file with the bug, so that it can be fixed again. */
export const brokenFile = (): string => files[BROKEN_FILE] ?? '';
