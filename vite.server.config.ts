import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { sqliteInTheBundle } from './scripts/sqlite-in-the-bundle.ts';

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

/**
 * Bundles the server with its dependencies, so that a cold start reads a few files instead of a thousand. The agents'
 * packages are not bundled: they are optional and contain programs.
 */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [websocketOfTheRuntime(), sqliteInTheBundle('assets/')],
  build: {
    ssr: true,
    ssrEmitAssets: true,
    rolldownOptions: {
      input: [path('server/main.ts'), path('server/journal/journal-worker.ts'), path('server/found-worker.ts')],
    },
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
