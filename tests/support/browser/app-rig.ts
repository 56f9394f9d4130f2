import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { ProjectRecord } from '../../../server/projects/project-store.ts';
import { createCodexWhatRuns } from '../../../server/providers/acp/agents/codex-what-runs.ts';
import { createClaudeWhatRuns } from '../../../server/providers/claude/project-settings/what-runs.ts';
import type { SessionMeta } from '../../../shared/entities.ts';
import { type SessionId, toCanonical } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { agentMessage, userMessage } from '../../fixtures/conversation/upserts.ts';
import { createScriptedProvider, type ScriptedProvider, type Transcripts } from '../agents/scripted-provider.ts';
import { createStoredTranscripts } from '../agents/stored-transcripts.ts';
import { openTestApp, type TestApp } from '../server/test-app.ts';

const MINUTE = 60_000;

export interface SessionSeed {
  readonly title: string;
  readonly cliType?: 'claude-code' | 'codex';
  readonly minutesAgo?: number;
  /** Number of messages in the conversation. */
  readonly messages?: number;
  readonly source?: 'terminal';
  readonly run?: true;
  readonly pinned?: boolean;
}

export interface AppRig {
  /** The origin of the pages. */
  readonly address: string;
  readonly port: number;
  /** The address that the running server would print. */
  pageUrl(): string;
  readonly directory: string;
  /** The agents of the running server. A restart replaces them, but keeps their stored conversations. */
  readonly claude: ScriptedProvider;
  readonly codex: ScriptedProvider;
  /** Adds a project with sessions, before or while pages are open. */
  seed(name: string, sessions?: readonly SessionSeed[]): Promise<{ project: ProjectRecord; sessions: SessionMeta[] }>;
  /** What was decided about the trust in each project. */
  decisions(): readonly { readonly path: string; readonly trusted: boolean | undefined }[];
  /** Opens the shell as a user would, with the token in the address. */
  open(options?: BrowserContextOptions, prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Page>;
  stop(): Promise<void>;
  /** Cuts the sockets of all windows like a lost network. The server keeps running. */
  cutSockets(): void;
  /** Stops the server. A later `restart` uses the same port and data. */
  halt(): Promise<void>;
  /** Ends the server as a kill does: what is on the disk now is what a later `restart` finds. */
  kill(): Promise<void>;
  /** Deletes the transcripts of Claude Code. Only with `keep`. */
  deleteTranscripts(): void;
  restart(): Promise<void>;
}

export interface AppRigOptions {
  readonly demo?: boolean;
  /** Claude Code has transcripts in files, which are copied at once. */
  readonly keep?: boolean;
  readonly keepLimitBytes?: number;
}

/** The real server and the real pages, with agents controlled by the test. */
export async function startAppRig(
  browser: Browser,
  pagesDir: string,
  { keep = false, keepLimitBytes: limitBytes = 1024 ** 3, ...options }: AppRigOptions = {},
): Promise<AppRig> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'liminal-pages-')));
  const dataDir = join(directory, 'data');
  const stored = createStoredTranscripts(join(directory, 'agent-home'));
  const memory: Record<'claude' | 'codex', Transcripts> = {
    claude: keep ? stored.transcripts : new Map(),
    codex: new Map(),
  };
  const contexts: { close(): Promise<void> }[] = [];

  async function start(port: number) {
    const env = { HOME: join(directory, 'home') };
    const claude = createScriptedProvider({
      label: 'Claude Code',
      transcripts: memory.claude,
      ...(keep && { nativeFiles: stored.nativeFiles }),
      whatRuns: createClaudeWhatRuns('claude-code', env),
    });
    const codex = createScriptedProvider({
      cliType: 'codex',
      label: 'Codex',
      transcripts: memory.codex,
      whatRuns: createCodexWhatRuns('codex', env),
      refusesUnless: (path) => app.stores.projects.allowedIn(path),
    });
    const app: TestApp = await openTestApp({
      ...options,
      dataDir,
      pagesDir,
      port,
      named: true,
      providers: [claude, codex],
      ...(keep && { keep: { on: true, limitBytes, timing: { firstLookMs: 0, soonMs: 0 } } }),
    });
    const sockets = new Set<Duplex>();
    app.app.server.server.on('upgrade', (_request, socket) => sockets.add(socket));
    return { app, claude, codex, sockets };
  }

  let running = await start(0);
  const { port } = running.app;

  return {
    address: new URL(running.app.pageUrl()).origin,
    port,
    pageUrl: () => running.app.pageUrl(),
    directory,
    get claude() {
      return running.claude;
    },
    get codex() {
      return running.codex;
    },
    decisions: () =>
      running.app.stores.projects.listProjects().map(({ path, decision }) => ({ path, trusted: decision?.trusted })),
    async seed(name, seeds = []) {
      const path = join(directory, name);
      await mkdir(path, { recursive: true });
      const { stores } = running.app;
      const project = await stores.projects.addProject(path);
      const sessions = seeds.map((seed) => metaOf(project.id, seed));
      for (const [index, session] of sessions.entries()) {
        await stores.sessions.add(session);
        const provider = session.cliType === 'codex' ? running.codex : running.claude;
        provider.remember(session.id, numberedMessages(session.id, seeds[index]?.messages ?? 0));
      }
      return { project, sessions };
    },
    async open(contextOptions = {}, prepare = async () => undefined) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions });
      contexts.push(context);
      await prepare(context);
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(running.app.pageUrl());
      return page;
    },
    cutSockets() {
      for (const socket of running.sockets) socket.destroy();
      running.sockets.clear();
    },
    halt: () => running.app.close(),
    async kill() {
      const { journal } = running.app.stores;
      const written = new Map([...memory.claude].map(([id, transcript]) => [id, new Map(transcript)]));
      await journal.durable();
      await cp(dataDir, `${dataDir}-at-kill`, { recursive: true });
      await running.app.close();
      await rm(dataDir, { recursive: true });
      await rename(`${dataDir}-at-kill`, dataDir);
      for (const [id, transcript] of written) memory.claude.set(id, transcript);
    },
    deleteTranscripts: stored.deleteFiles,
    async restart() {
      running = await start(port);
    },
    async stop() {
      await Promise.all(contexts.map((context) => context.close()));
      await running.app.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function metaOf(
  projectId: string,
  { cliType = 'claude-code', minutesAgo = 5, messages: _, ...seed }: SessionSeed,
): SessionMeta {
  const at = new Date(Date.now() - minutesAgo * MINUTE).toISOString();
  const id = toCanonical(cliType, randomUUID());
  return { id, projectId, cliType, archived: false, lastActiveAt: at, createdAt: at, ...seed };
}

function numberedMessages(sessionId: SessionId, count: number): UpsertObject[] {
  return Array.from({ length: count }, (_, index) => {
    const turnId = `past-${Math.floor(index / 2)}`;
    const text = `Message ${index + 1}`;
    return index % 2 === 0
      ? userMessage(`${turnId}:user`, text, { sessionId })
      : agentMessage(`${turnId}:0:0`, text, { sessionId });
  });
}
