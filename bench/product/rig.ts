import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded } from '../../scripts/build-if-needed.mjs';
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../../tests/fixtures/server-process.ts';
import { openSocket, type SocketClient } from '../../tests/fixtures/socket-client.ts';
import type { WireFields } from '../../tests/fixtures/wire-fields.ts';

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

/** The built product on this data, with no home but the scratch one. */
export function startProduct(scratch: Scratch, options: Partial<ServerProcessOptions> = {}): Promise<ServerProcess> {
  buildIfNeeded();
  const env = { ...process.env, HOME: scratch.home };
  return startServerProcess({ command: productCommand, dataDir: scratch.dataDir, env, ...options });
}

export function connect({ origin, token }: ServerProcess): Promise<SocketClient> {
  return openSocket(`${origin.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${token}` } });
}

/** Runs a command by HTTP; throws with the answer where it is refused. */
export async function post({ origin, token }: ServerProcess, address: string, body: object = {}): Promise<WireFields> {
  const response = await fetch(`${origin}${address}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as WireFields;
  if (!response.ok) throw new Error(`${address}: ${answer.message}`);
  return answer;
}

export async function createSession(server: ServerProcess, cliType: string, projectDir: string): Promise<string> {
  const { sessionId } = await post(server, '/api/session/create', { cliType, projectDir });
  if (sessionId === undefined) throw new Error('A session was created without an id.');
  return sessionId;
}

export function send(server: ServerProcess, sessionId: string, content: string): Promise<WireFields> {
  return post(server, `/api/session/${encodeURIComponent(sessionId)}/send`, { content });
}
