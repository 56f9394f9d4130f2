import type { FastifyInstance } from 'fastify';
import type { Clock } from './clock.ts';
import { createCommandHandlers } from './commands/command-handlers.ts';
import { installHttpRoutes } from './commands/http-routes.ts';
import { type CommandRunner, createCommandRunner } from './commands/run-command.ts';
import { createSocketServer } from './commands/socket-server.ts';
import { createHub } from './delivery/index.ts';
import type { ProviderRegistry } from './engine/provider-registry.ts';
import { createHttpServer } from './http-server.ts';
import type { Logger } from './log.ts';
import { installPages } from './pages.ts';
import type { ProjectStore } from './projects/project-store.ts';
import { createProjectTrust } from './projects/project-trust.ts';
import { createGuard } from './security/guard.ts';
import { createOriginPolicy, type OriginPolicy, reachableHost } from './security/origin-policy.ts';
import { createTokenCheck } from './security/token.ts';
import type { SessionLimits } from './sessions/open-session.ts';
import { createSessionService, type SessionService } from './sessions/session-service.ts';
import type { SessionStore } from './sessions/session-store.ts';

export interface AppDeps {
  readonly host: string;
  readonly token: string;
  readonly version: string;
  readonly demo?: boolean;
  /** The built pages; without them only the API is served. */
  readonly pagesDir?: string;
  readonly projects: ProjectStore;
  readonly sessions: SessionStore;
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Logger;
  readonly limits?: Partial<Limits>;
}

export interface Limits {
  readonly authTimeoutMs: number;
  readonly maxUnauthenticated: number;
  readonly heartbeatMs: number;
  /** A window with more unsent bytes than this is disconnected. */
  readonly maxBufferedBytes: number;
  readonly evictAfterMs: number;
  /** Of the pages of a conversation, and of the events that are kept for windows that come back. */
  readonly sessionLimits?: SessionLimits;
}

const defaultLimits: Limits = {
  authTimeoutMs: 5_000,
  maxUnauthenticated: 64,
  heartbeatMs: 12_000,
  maxBufferedBytes: 8 * 1024 * 1024,
  evictAfterMs: 5 * 60_000,
};

export interface App {
  readonly server: FastifyInstance;
  readonly service: SessionService;
  readonly runner: CommandRunner;
  /** Starts listening and resolves to the address, without the token. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
}

/** Composes the server. Nothing listens before `listen` is called. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const limits = { ...defaultLimits, ...deps.limits };
  const { log, clock } = deps;
  const checkToken = createTokenCheck(deps.token);
  const onFailure = (error: unknown) => log.error({ err: error }, 'unexpected failure');

  const policies = new Map<number, OriginPolicy>();
  const currentPolicy = () => {
    const port = portOf(server) ?? 80;
    const policy = policies.get(port) ?? createOriginPolicy({ host: deps.host, port });
    policies.set(port, policy);
    return policy;
  };
  const server = await createHttpServer(createGuard({ policy: currentPolicy, checkToken }), log);

  const hub = createHub({ clock, source: () => service, heartbeatMs: limits.heartbeatMs });
  const trust = createProjectTrust({
    projects: deps.projects,
    agents: () => deps.registry.list(),
    onChange: (project) => hub.announce({ to: 'all', message: { type: 'project:changed', project } }),
  });
  const service = createSessionService({ ...deps, trust, ...limits, announce: hub.announce, onFailure });
  const runner = createCommandRunner(createCommandHandlers({ projects: deps.projects, trust, service }), hub);
  const serveSocket = createSocketServer({ ...limits, runner, hub, clock, checkToken, onFailure });

  installHttpRoutes(server, runner);
  server.get('/api/health', { config: { access: 'open' } }, async () => ({
    ok: true,
    version: deps.version,
    demo: deps.demo ?? false,
    providers: await Promise.all(deps.registry.list().map((provider) => provider.checkAvailability())),
  }));
  server.get('/ws', { websocket: true, config: { access: 'socket' } }, (socket, request) => {
    serveSocket(socket, request.headers.authorization !== undefined);
  });
  if (deps.pagesDir !== undefined) await installPages(server, deps.pagesDir);

  return {
    server,
    service,
    runner,
    async listen(port) {
      await server.listen({ port, host: deps.host });
      return `http://${reachableHost(deps.host)}:${portOf(server) ?? port}/`;
    },
    async close() {
      hub.close();
      await Promise.all([server.close(), service.close()]);
    },
  };
}

/** Undefined while the server does not listen, as in tests that inject requests. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
