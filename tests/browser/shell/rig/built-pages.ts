import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

export interface BuiltPages {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Builds both pages into a directory of their own, so that tests see the present source and disturb nobody. */
export async function buildPages(): Promise<BuiltPages> {
  const directory = await mkdtemp(join(tmpdir(), 'liminal-pages-'));
  await build({ configFile: 'vite.config.ts', logLevel: 'warn', build: { outDir: directory } });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
