import { basename, join } from 'node:path';
import { build } from 'vite';
import { sqliteInTheBundle } from '../../scripts/sqlite-in-the-bundle.ts';

/** Bundles a TypeScript program into one module, so that it starts fast. */
export async function bundleProgram(entry: string, directory: string): Promise<string> {
  const name = `${basename(entry, '.ts')}.mjs`;
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [sqliteInTheBundle('')],
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      ssrEmitAssets: true,
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
    },
  });
  return join(directory, name);
}
