import type { FastifyInstance } from 'fastify';
import type { Clock } from './clock.ts';
import { createCommandHandlers } from './commands/command-handlers.ts';
import { installHttpRoutes } from './commands/http-routes.ts';
import { type CommandRunner, createCommandRunner } from './commands/run-command.ts';
import { createSocketServer } from './commands/socket-server.ts';
import { connectFound } from './connect-found.ts';
import { connectKeep, type KeepSettings } from './connect-keep.ts';
import { createHub } from './delivery/index.ts';
import type { ProviderRegistry } from './engine/provider-registry.ts';
import { createSessionExport } from './export/session-export.ts';
import { createSessionReader } from './export/session-reader.ts';
import type { FolderWatches } from './folder-watches.ts';
import { createHttpServer } from './http-server.ts';
import type { Journal } from './journal/journal.ts';
import { listenOnLoopback } from './listen.ts';
import type { Logger } from './log.ts';
import { type OpenFiles, systemOpenFiles } from './open-files.ts';
import type { Stores } from './open-stores.ts';
import { installPages } from './pages.ts';
import type { ProjectStore } from './projects/project-store.ts';
import { createProjectTrust } from './projects/project-trust.ts';
import { createAdmission, LISTEN_BACKLOG } from './security/admission.ts';
import type { Credentials } from './security/credentials.ts';
import { createGuard } from './security/guard.ts';
import { startHandshake } from './security/handshake.ts';
import { createOriginPolicy, type OriginPolicy, reachableHost } from './security/origin-policy.ts';
import { createRequestCheck } from './security/request-check.ts';
import { createRequestKeys } from './security/request-keys.ts';
import { createOneTimeUse } from './security/run-secret.ts';
import type { SessionLimits } from './sessions/open-session.ts';
import { createSessionService, type SessionService } from './sessions/session-service.ts';
import type { StoredSessions } from './sessions/session-store.ts';
import { watchOpenFiles } from './watch-open-files.ts';

export interface AppDeps {
  readonly host: string;
  /** The page's own name below `localhost`. Without one the page has the plain address of the host. */
  readonly name?: string;
  readonly credentials: Credentials;
  readonly version: string;
  readonly demo?: boolean;
  /** The built pages; without them only the API is served. */
  readonly pagesDir?: string;
  readonly projects: ProjectStore;
  readonly sessions: StoredSessions;
  readonly journal: Journal;
  readonly onTrouble: Stores['onTrouble'];
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  /** Of the agents' folders. Closed by whoever made it. */
  readonly watches: FolderWatches;
  readonly newId: () => string;
  readonly log: Logger;
  readonly limits?: Partial<Limits>;
  readonly files?: OpenFiles;
  /** Copies of the agents' transcripts. */
  readonly keep: KeepSettings;
  /** Where the agents' folders are read; in a worker if not given. */
  readonly foundThread?: 'worker' | 'here';
}

export interface Limits {
  readonly authTimeoutMs: number;
  /** How many connections may be open that have not shown valid credentials. */
  readonly maxWaiting: number;
  readonly heartbeatMs: number;
  /** A window with more unsent bytes than this is disconnected. */
  readonly maxBufferedBytes: number;
  readonly evictAfterMs: number;
  /** Of the pages of a conversation, and of the events that are kept for windows that come back. */
  readonly sessionLimits?: SessionLimits;
}

const defaultLimits: Limits = {
  authTimeoutMs: 5_000,
  maxWaiting: 256,
  heartbeatMs: 12_000,
  maxBufferedBytes: 8 * 1024 * 1024,
  evictAfterMs: 5 * 60_000,
};

export interface App {
  readonly server: FastifyInstance;
  readonly service: SessionService;
  readonly runner: CommandRunner;
  listen(port: number): Promise<Listening>;
  close(): Promise<void>;
}

/** Where the page is, without a secret. */
export interface Listening {
  readonly url: string;
  /** The address without a name, for browsers and programs that cannot resolve `*.localhost`. */
  readonly plainUrl: string;
  /** Another program holds our port on `[::1]`, so the page has no name. */
  readonly secondTaken: boolean;
}

const KEPT_AGAIN = 'There is room again: everything is kept, also what was not until now.';

/** Composes the server. Nothing listens before `listen` is called. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const limits = { ...defaultLimits, ...deps.limits };
  const { log, clock } = deps;
  const { credentials } = deps;
  const requestKeys = createRequestKeys();
  const oneTimeUse = createOneTimeUse(() => Date.parse(clock.now()));
  const onFailure = (error: unknown) => log.error({ err: error }, 'unexpected failure');

  const policies = new Map<number, OriginPolicy>();
  const currentPolicy = () => {
    const port = portOf(server) ?? 80;
    const policy = policies.get(port) ?? createOriginPolicy({ host: deps.host, port, name: deps.name });
    policies.set(port, policy);
    return policy;
  };
  const admission = createAdmission({ maxWaiting: limits.maxWaiting, log });
  const checkRequest = createRequestCheck({ credentials, requestKeys });
  const server = await createHttpServer(createGuard({ policy: currentPolicy, checkRequest }), admission, log);

  const hub = createHub({ clock, source: () => service, heartbeatMs: limits.heartbeatMs });
  const trust = createProjectTrust({
    projects: deps.projects,
    agents: () => deps.registry.list(),
    onChange: (project) => hub.announce({ to: 'all', message: { type: 'project:changed', project } }),
  });
  const found = connectFound({
    ...deps,
    thread: deps.foundThread,
    announce: hub.announce,
    announceSession: (sessionId) => service.announce(sessionId),
    announceFound: (sessions) => service.announceFound(sessions),
  });
  const { sessions } = found;
  const { keep, ...kept } = await connectKeep({
    ...deps,
    sessions,
    settings: deps.keep,
    announce: hub.announce,
    announceSession: (sessionId) => service.announce(sessionId),
    reload: (sessionId) => service.reload(sessionId),
  });
  const service = createSessionService({
    ...deps,
    sessions,
    trust,
    ...limits,
    announce: kept.announce,
    onFailure,
    isKept: keep.isKept,
    readKept: keep.readKept,
    forget: [keep.forget],
  });
  deps.onTrouble((trouble) => {
    const message = trouble === undefined ? KEPT_AGAIN : `What happens now is not kept. ${trouble}`;
    hub.announce({ to: 'all', message: { type: 'error', code: 'STORAGE_FAILED', message } });
  });
  const openFiles = watchOpenFiles({ files: deps.files ?? systemOpenFiles, clock, log });
  server.server.on('connection', openFiles.look);
  const exportSession = createSessionExport({ read: createSessionReader(service, deps.projects), now: clock.now });
  const handlers = createCommandHandlers({
    projects: deps.projects,
    trust,
    service,
    exportSession,
    keep: kept.commands,
    directoriesWithSessions: found.directories,
  });
  const downloads = { 'session:export': exportSession };
  const runner = createCommandRunner({ handlers, downloads, hub, onOutOfFiles: openFiles.failed });
  const serveSocket = createSocketServer({
    ...limits,
    runner,
    hub,
    clock,
    startHandshake: (origin) => startHandshake({ credentials, requestKeys, oneTimeUse }, origin),
    onRenewed: credentials.onRenewed,
    onFailure,
  });

  installHttpRoutes(server, runner);
  server.get('/api/health', { config: { access: 'open' } }, async () => ({
    ok: true,
    version: deps.version,
    demo: deps.demo ?? false,
    providers: await Promise.all(deps.registry.list().map((provider) => provider.checkAvailability())),
  }));
  server.get('/ws', { websocket: true, config: { access: 'socket' } }, (socket, request) => {
    const { host, authorization } = request.headers;
    serveSocket(socket, {
      authenticated: authorization !== undefined,
      origin: `http://${host}`,
      onAdmitted: () => admission.prove(request.raw.socket),
    });
  });
  if (deps.pagesDir !== undefined) await installPages(server, deps.pagesDir);

  return {
    server,
    service,
    runner,
    async listen(port) {
      const second = deps.name === undefined ? 'absent' : await listenOnLoopback(server, port);
      if (deps.name === undefined) await server.listen({ port, host: deps.host, backlog: LISTEN_BACKLOG });
      found.start();
      const addressOf = (host: string) => `http://${host}:${portOf(server) ?? port}/`;
      const plainUrl = addressOf(reachableHost(deps.host));
      const secondTaken = second === 'taken';
      return { plainUrl, secondTaken, url: deps.name === undefined || secondTaken ? plainUrl : addressOf(deps.name) };
    },
    async close() {
      hub.close();
      await Promise.all([server.close(), service.close(), keep.close(), found.close()]);
    },
  };
}

/** Undefined while the server does not listen, as in tests that inject requests. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
