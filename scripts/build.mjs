import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const path = (/** @type {string} */ relative) => fileURLToPath(new URL(relative, import.meta.url));

for (const configFile of ['../vite.config.ts', '../vite.server.config.ts']) {
  await build({ configFile: path(configFile), logLevel: 'warn' });
}
