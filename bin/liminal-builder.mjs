#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a checkout the sources may be newer than the build. A package has no sources and is always built.
const buildScript = new URL('../scripts/build-if-needed.mjs', import.meta.url);
if (existsSync(buildScript)) await (await import(buildScript.href)).buildIfNeeded();
await import(new URL('../dist/server/main.js', import.meta.url).href);
