import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildApp } from '../../../../server/app.ts';
import { systemClock } from '../../../../server/clock.ts';
import { openStores } from '../../../../server/open-stores.ts';
import { createProviderRegistry } from '../../../../server/providers/provider-registry.ts';
import type { Project, SessionMeta } from '../../../../shared/entities.ts';
import { type SessionId, toCanonical } from '../../../../shared/ids.ts';
import { createScriptedProvider, messageOf, type ScriptedProvider } from './scripted-provider.ts';

const TOKEN = 'a-token-for-the-tests-of-the-shell';
const MINUTE = 60_000;

export interface SessionSeed {
  readonly title: string;
  readonly cliType?: 'claude-code' | 'codex';
  readonly minutesAgo?: number;
  /** How many messages its conversation has. */
  readonly messages?: number;
}

export interface ShellRig {
  readonly address: string;
  readonly directory: string;
  readonly claude: ScriptedProvider;
  readonly codex: ScriptedProvider;
  /** Adds a project with sessions, before or while pages are open. */
  seed(name: string, sessions?: readonly SessionSeed[]): Promise<{ project: Project; sessions: SessionMeta[] }>;
  /** Opens the shell as a user would, with the token in the address. */
  open(options?: BrowserContextOptions): Promise<Page>;
  stop(): Promise<void>;
  /** Ends the server; a later `restart` listens on the same port with the same data. */
  halt(): Promise<void>;
  restart(): Promise<void>;
}

/** The real server and the real pages with agents that the test plays. */
export async function startShellRig(
  browser: Browser,
  pagesDir: string,
  options: { demo?: boolean } = {},
): Promise<ShellRig> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'liminal-shell-')));
  const dataDir = join(directory, 'data');
  await mkdir(dataDir);
  const claude = createScriptedProvider('claude-code', 'Claude Code');
  const codex = createScriptedProvider('codex', 'Codex');
  const contexts: { close(): Promise<void> }[] = [];
  let port = 0;

  async function start() {
    const report = { warn: () => undefined, onError: () => undefined };
    const stores = await openStores(dataDir, report);
    const registry = createProviderRegistry();
    registry.register(claude);
    registry.register(codex);
    const app = await buildApp({
      ...stores,
      host: '127.0.0.1',
      token: TOKEN,
      version: '0.0.0',
      demo: options.demo ?? false,
      pagesDir,
      registry,
      clock: systemClock,
      newId: randomUUID,
      log: pino({ level: 'silent' }),
    });
    const address = await app.listen(port);
    port = Number(new URL(address).port);
    return { app, stores, address };
  }

  let running = await start();

  async function halt(): Promise<void> {
    await running.app.close();
    await running.stores.close();
  }

  return {
    address: running.address,
    directory,
    claude,
    codex,
    async seed(name, seeds = []) {
      const path = join(directory, name);
      await mkdir(path, { recursive: true });
      const project = await running.stores.projects.addProject(path);
      const sessions = seeds.map((seed) => metaOf(project.id, seed));
      for (const [index, session] of sessions.entries()) {
        await running.stores.sessions.add(session);
        const provider = session.cliType === 'codex' ? codex : claude;
        provider.conversations.set(session.id, conversation(session.id, seeds[index]?.messages ?? 0));
      }
      return { project, sessions };
    },
    async open(contextOptions = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(`${running.address}#token=${TOKEN}`);
      return page;
    },
    halt,
    async restart() {
      running = await start();
    },
    async stop() {
      await Promise.all(contexts.map((context) => context.close()));
      await halt();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function metaOf(projectId: string, { title, cliType = 'claude-code', minutesAgo = 5 }: SessionSeed): SessionMeta {
  const at = new Date(Date.now() - minutesAgo * MINUTE).toISOString();
  const id = toCanonical(cliType, randomUUID());
  return { id, projectId, cliType, archived: false, title, lastActiveAt: at, createdAt: at };
}

function conversation(sessionId: SessionId, messages: number) {
  return Array.from({ length: messages }, (_, index) =>
    messageOf(sessionId, `turn-${Math.floor(index / 2)}`, index % 2 === 0 ? 'user' : 'agent', `Message ${index + 1}`),
  );
}
