import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Asked for by Fastify only for routes with JSON schemas, of which there are none. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'];

/** Bun has a `ws` of its own that fits its server; before Bun 1.4 the bundled one does not. */
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
 * The server as a few files, its dependencies included: a cold start reads these instead of a thousand small ones.
 * Agent packages stay outside; they are optional and bring programs of their own.
 */
export default defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [websocketOfTheRuntime()],
  build: {
    ssr: path('server/main.ts'),
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
