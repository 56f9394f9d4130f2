import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/**
 * SQLite as WebAssembly expects its binary in the directory of its package; in a bundle it is beside the chunk, in
 * `chunkDirectory`.
 */
export function sqliteInTheBundle(chunkDirectory: string): Plugin {
  return {
    name: 'sqlite-in-the-bundle',
    transform(code, id) {
      if (!id.endsWith('node-sqlite3-wasm.js')) return undefined;
      const source = readFileSync(id.replace(/js$/, 'wasm'));
      this.emitFile({ type: 'asset', fileName: `${chunkDirectory}sqlite.wasm`, source });
      return code
        .replace('locateFile("node-sqlite3-wasm.wasm")', 'new URL("./sqlite.wasm", import.meta.url).href')
        .replace('scriptDirectory=__dirname+"/"', 'scriptDirectory=""');
    },
  };
}
