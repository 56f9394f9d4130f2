import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const require = createRequire(import.meta.url);
const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

/** All violations that axe finds in a page and its frames, whatever their impact. */
export async function violations(page: Page): Promise<string[]> {
  for (const frame of page.frames()) await frame.evaluate(source);
  return run(page.mainFrame());
}

export async function violationsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(source);
  return run(frame);
}

async function run(frame: Frame): Promise<string[]> {
  const found = await frame.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as { run(): Promise<{ violations: Violation[] }> };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
