import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Rule, type ScriptedModel, say, startScriptedModel } from '../../../scripted-model/index.ts';
import type { SessionListItem } from '../../../shared/entities.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { createProductClient, type ProductClient } from '../../support/product/product-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/product/server-process.ts';
import type { SocketClient } from '../../support/server/socket-client.ts';
import { createTerminalHome, type TerminalHome } from '../../support/terminals/terminal-home.ts';

const MAIN = fileURLToPath(new URL('../../../dist/server/main.js', import.meta.url));

/** What the terminals wait for: every prompt gets `Answer to <prompt>.`, a request for a summary gets one. */
const ANSWERS: readonly Rule[] = [
  { when: /^CRITICAL: Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION/, scenario: [[say('A summary.')]] },
  { when: /./, scenario: ({ prompt }) => [[say(`Answer to ${prompt}.`)]] },
];

export type Server = ServerProcess & ProductClient;

/** Real terminals and the product, with the same homes and the same model. */
export interface FollowScene {
  readonly model: ScriptedModel;
  readonly home: TerminalHome;
  readonly projectDir: string;
  /** Starts the server, or ends it and starts another. The project is added. */
  start(): Promise<Server>;
  /** The one that runs. */
  readonly server: Server;
  /** The sessions of the project as a window lists them. */
  list(): Promise<readonly SessionListItem[]>;
  /** Resolves as soon as this holds for the session in the list. */
  listed(sessionId: string, holds?: (item: SessionListItem) => boolean): Promise<SessionListItem>;
  /** Hashes of everything that the agents have on disk about conversations. */
  hashes(): Record<string, string>;
  close(): Promise<void>;
}

export async function openFollowScene(rules: readonly Rule[] = []): Promise<FollowScene> {
  const model = await startScriptedModel({ rules: [...rules, ...ANSWERS], keepRequests: 1_000 });
  const home = await createTerminalHome(model);
  const dataDir = join(home.home, 'data');
  let server: Server | undefined;
  let window: SocketClient | undefined;
  let projectId = '';

  const running = () => {
    if (server === undefined) throw new Error('The server does not run.');
    return server;
  };

  async function list(): Promise<readonly SessionListItem[]> {
    const { sessions = [] } = (await window?.ask('session:list', { projectId })) ?? {};
    return sessions;
  }

  return {
    model,
    home,
    projectDir: home.projectDir,
    list,
    get server() {
      return running();
    },
    async start() {
      await server?.stop();
      const started = await startServerProcess({ command: [process.execPath, MAIN], dataDir, env: home.env });
      server = { ...started, ...createProductClient(started) };
      window = await server.window();
      const { projects = [] } = await window.ask('project:list');
      const known = projects.find(({ path }) => path === home.projectDir);
      projectId = known?.id ?? (await window.ask('project:add', { path: home.projectDir })).project?.id ?? '';
      return server;
    },
    async listed(sessionId, holds = () => true) {
      let found: SessionListItem | undefined;
      const look = async () => {
        found = (await list()).find(({ id }) => id === sessionId);
        return found !== undefined && holds(found);
      };
      await expect
        .poll(look, { message: `${sessionId} in the list` })
        .toBe(true)
        .catch((error: unknown) => {
          throw new Error(`${sessionId} is listed as ${JSON.stringify(found)}`, { cause: error });
        });
      if (found === undefined) throw new Error(`${sessionId} is not listed.`);
      return found;
    },
    hashes: () => hashFiles([join(home.claudeHome, 'projects'), join(home.codexHome, 'sessions')]),
    async close() {
      await server?.stop();
      await home.close();
      await model.close();
    },
  };
}

/** Contents and times, by path. */
function hashFiles(folders: readonly string[]): Record<string, string> {
  const paths = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => statSync(path).isFile());
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(paths.map((path) => [path, `${hash(path)} ${statSync(path).mtimeMs}`]));
}

/** The messages of a conversation that the model is given, as far as the page says. */
export function saidTexts(items: Iterable<UpsertObject>): string[] {
  return [...items].flatMap((item) =>
    item.type === 'message' && item.inContext !== false && item.origin !== 'system' ? [item.content] : [],
  );
}
