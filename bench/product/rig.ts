import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from '../../scripts/build-if-needed.mjs';
import { createProductClient, type ProductClient } from '../../tests/support/product/product-client.ts';
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../tests/support/product/server-process.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const productCommand: readonly string[] = [process.execPath, path('../../dist/server/main.js')];
export const bareCommand: readonly string[] = [process.execPath, path('bare-server.mjs')];

export interface Scratch {
  readonly home: string;
  readonly dataDir: string;
  readonly projectDir: string;
  remove(): void;
}

export function createScratch(): Scratch {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'liminal-bench-')));
  const [dataDir, projectDir] = [join(home, 'data'), join(home, 'project')];
  for (const directory of [dataDir, projectDir]) mkdirSync(directory);
  return { home, dataDir, projectDir, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export type Product = ServerProcess & ProductClient;

/** Starts the built product on this data, with the scratch directory as its home. */
export async function startProduct(scratch: Scratch, options: Partial<ServerProcessOptions> = {}): Promise<Product> {
  buildIfNeeded();
  const env = { ...process.env, HOME: scratch.home };
  const server = await startServerProcess({ command: productCommand, dataDir: scratch.dataDir, env, ...options });
  return { ...server, ...createProductClient(server) };
}
