import websocket from '@fastify/websocket';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { AppError, errorCatalogue, toErrorBody } from '../shared/errors.ts';
import type { Clock } from './clock.ts';
import { createCommandHandlers } from './commands/command-handlers.ts';
import { installHttpDoor } from './commands/http-door.ts';
import { type CommandRunner, createCommandRunner } from './commands/run-command.ts';
import { serveSocket } from './commands/socket-door.ts';
import { createHub } from './delivery/index.ts';
import type { Logger } from './log.ts';
import { installPages } from './pages.ts';
import type { ProjectStore } from './projects/project-store.ts';
import type { ProviderRegistry } from './providers/provider-registry.ts';
import { installGuard } from './security/guard.ts';
import { createOriginPolicy, type OriginPolicy } from './security/origin-policy.ts';
import { createTokenCheck } from './security/token.ts';
import { createSessionService, type SessionService } from './sessions/session-service.ts';
import type { SessionStore } from './sessions/session-store.ts';

const MAX_FRAME_BYTES = 1024 * 1024;

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
  readonly heartbeatMs: number;
  /** A window with more than this unsent is dropped. */
  readonly maxBufferedBytes: number;
  readonly evictAfterMs: number;
}

const defaultLimits: Limits = {
  authTimeoutMs: 5_000,
  heartbeatMs: 12_000,
  maxBufferedBytes: 8 * 1024 * 1024,
  evictAfterMs: 5 * 60_000,
};

export interface App {
  readonly server: FastifyInstance;
  readonly service: SessionService;
  readonly runner: CommandRunner;
  /** Listens and answers with the address, without the token. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
}

/** Puts the server together. Nothing is listened to, read or started before `listen`. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const limits = { ...defaultLimits, ...deps.limits };
  const { log, clock } = deps;
  const checkToken = createTokenCheck(deps.token);
  const onFailure = (error: unknown) => log.error({ err: error }, 'unexpected failure');

  const hub = createHub({ clock, source: () => service, heartbeatMs: limits.heartbeatMs });
  const service = createSessionService({
    ...deps,
    announce: hub.announce,
    onFailure,
    evictAfterMs: limits.evictAfterMs,
  });
  const runner = createCommandRunner(createCommandHandlers({ projects: deps.projects, service }), hub);

  const server = Fastify({
    bodyLimit: MAX_FRAME_BYTES,
    forceCloseConnections: true,
    // Checked by the guard, which answers 403 like for any other wrong host.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 512 },
  });
  const policies = new Map<number, OriginPolicy>();
  const currentPolicy = () => {
    const port = portOf(server) ?? 80;
    const policy = policies.get(port) ?? createOriginPolicy({ host: deps.host, port });
    policies.set(port, policy);
    return policy;
  };

  installErrorHandling(server, log);
  installGuard(server, { policy: currentPolicy, checkToken });
  installJsonParser(server);
  await server.register(websocket, { options: { maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false } });

  installHttpDoor(server, runner);
  server.get('/api/health', { config: { access: 'open' } }, async () => ({
    ok: true,
    version: deps.version,
    demo: deps.demo ?? false,
    providers: await Promise.all(deps.registry.list().map((provider) => provider.checkAvailability())),
  }));
  server.get('/ws', { websocket: true, config: { access: 'socket' } }, (socket, request) => {
    const authenticated = request.headers.authorization !== undefined;
    serveSocket(socket, authenticated, { runner, hub, clock, checkToken, onFailure, ...limits });
  });
  if (deps.pagesDir !== undefined) await installPages(server, deps.pagesDir);

  return {
    server,
    service,
    runner,
    async listen(port) {
      await server.listen({ port, host: deps.host });
      return `http://${deps.host.includes(':') ? `[${deps.host}]` : deps.host}:${portOf(server) ?? port}/`;
    },
    async close() {
      hub.close();
      await Promise.all([server.close(), service.close()]);
    },
  };
}

/** Undefined while nothing is listened to, as in tests that inject requests. */
function portOf(server: FastifyInstance): number | undefined {
  const address = server.server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

/** The one place where failures become answers. What has no code is logged and told without its inner words. */
function installErrorHandling(server: FastifyInstance, log: Logger): void {
  server.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const known = error instanceof AppError ? error : frameworkError(error);
    if (known === undefined) log.error({ err: error, method: request.method, route: request.routeOptions.url });
    const body = toErrorBody(known ?? error);
    reply.code(errorCatalogue[body.code].status).send(body);
  });
  server.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND');
  });
}

/** Bad requests that Fastify itself finds. */
function frameworkError(error: FastifyError): AppError | undefined {
  if (error.statusCode === 413) return new AppError('PAYLOAD_TOO_LARGE');
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new AppError('INVALID_MESSAGE', `Invalid request payload. ${error.message}`);
}

/** JSON only. An empty body is an empty object: most commands need none. */
function installJsonParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, {});
    try {
      done(null, JSON.parse(body.toString()));
    } catch {
      done(new AppError('INVALID_MESSAGE', 'Invalid request payload. value: expected JSON'));
    }
  });
}
