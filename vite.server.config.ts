import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Fastify loads these only for routes with JSON schemas, which we do not use. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

/** Bun has its own `ws`, which works with its server; before Bun 1.4 the bundled one does not. */
function websocketOfTheRuntime(): Plugin {
  const id = '\0ws-of-the-runtime';
  const bundled = JSON.stringify(path('node_modules/ws/index.js'));
  return {
    name: 'websocket-of-the-runtime',
    enforce: 'pre',
    resolveId: (source) => (source === 'ws' ? id : undefined),
    load: (loaded) =>
      loaded === id
        ? `module.exports = process.versions.bun === undefined
            ? require(${bundled})
            : require('node:module').createRequire(process.execPath)('ws');`
        : undefined,
  };
}

/** SQLite as WebAssembly expects its binary in the directory of its package; here it is beside its chunk. */
function sqliteInTheBundle(): Plugin {
  return {
    name: 'sqlite-in-the-bundle',
    transform(code, id) {
      if (!id.endsWith('node-sqlite3-wasm.js')) return undefined;
      const source = readFileSync(id.replace(/js$/, 'wasm'));
      this.emitFile({ type: 'asset', fileName: 'assets/sqlite.wasm', source });
      return code
        .replace('locateFile("node-sqlite3-wasm.wasm")', 'new URL("./sqlite.wasm", import.meta.url).href')
        .replace('scriptDirectory=__dirname+"/"', 'scriptDirectory=""');
    },
  };
}

/**
 * Bundles the server with its dependencies, so that a cold start reads a few files instead of a thousand. The agents'
 * packages are not bundled: they are optional and contain programs.
 */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [websocketOfTheRuntime(), sqliteInTheBundle()],
  build: {
    ssr: true,
    ssrEmitAssets: true,
    rolldownOptions: { input: [path('server/main.ts'), path('server/journal/journal-worker.ts')] },
    outDir: path('dist/server'),
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
  },
  ssr: {
    noExternal: true,
    external: [
      '@anthropic-ai/claude-agent-sdk',
      '@agentclientprotocol/codex-acp',
      'bufferutil',
      'utf-8-validate',
      ...UNUSED,
    ],
  },
});
