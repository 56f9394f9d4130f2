import websocket from '@fastify/websocket';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { AppError, errorCatalogue, toErrorBody } from '../shared/errors.ts';
import type { Logger } from './log.ts';
import { type Guard, installGuard } from './security/guard.ts';
import { answerRaw } from './security/raw-answer.ts';

const MAX_FRAME_BYTES = 1024 * 1024;

/** A request must be here, whole, after this long; how long its answer takes does not matter. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long a socket may take to answer a close before it is cut off; also what it may delay a shutdown. */
const SOCKET_CLOSE_TIMEOUT_MS = 1_000;

/** Commands are validated by their own schemas. Without these two a start would load compilers that nothing needs. */
const noSchemaCompiler = (): never => {
  throw new Error('Routes have no JSON schema.');
};
const schemaController = {
  compilersFactory: { buildValidator: noSchemaCompiler, buildSerializer: noSchemaCompiler },
};

/** The bare server: limits, guard, errors. Every answer it gives, to whatever is sent to it, went through here. */
export async function createHttpServer(guard: Guard, log: Logger): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: MAX_FRAME_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    // Checked by the guard, which answers 403 like for any other wrong host.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 512 },
    schemaController,
    clientErrorHandler: (_error, socket) => answerRaw(socket, 'INVALID_MESSAGE'),
    // Addresses that the router cannot read pass no hook, so the guard is asked here, and an upgrade ended here.
    frameworkErrors(error, request, reply: FastifyReply) {
      const refusal = refusalOf(() => guard(request, reply));
      const { status, body } = toAnswer(refusal ?? error, log);
      reply.raw.once('finish', () => request.raw.socket.destroySoon());
      void reply.code(status).send(body);
    },
  });
  server.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const { status, body } = toAnswer(error, log, { method: request.method, route: request.routeOptions.url });
    return reply.code(status).send(body);
  });
  server.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND');
  });
  // Before the guard: it ends the socket of a refused upgrade only if its own hook has seen the request.
  await installSockets(server, log);
  installGuard(server, guard);
  installJsonParser(server);
  return server;
}

function refusalOf(check: () => void): AppError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

/** The one place where failures become answers. What has no code is logged and told without its inner words. */
function toAnswer(error: FastifyError | AppError, log: Logger, context: object = {}) {
  const known = error instanceof AppError ? error : frameworkError(error);
  if (known === undefined) log.error({ err: error, ...context }, 'unexpected failure');
  const body = toErrorBody(known ?? error);
  return { status: errorCatalogue[body.code].status, body };
}

/** Bad requests that Fastify itself finds. */
function frameworkError(error: FastifyError): AppError | undefined {
  if (error.statusCode === 413) return new AppError('PAYLOAD_TOO_LARGE');
  if (error.statusCode === 415)
    return new AppError('INVALID_MESSAGE', 'Invalid request payload. Send application/json.');
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

async function installSockets(server: FastifyInstance, log: Logger): Promise<void> {
  const options = {
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    closeTimeout: SOCKET_CLOSE_TIMEOUT_MS,
  };
  await server.register(websocket, {
    options,
    // Frames that are too large or broken: the close code that fits is under way, and nothing else is to be done.
    errorHandler(error, socket) {
      log.debug({ err: error }, 'socket closed after an error');
      socket.close(1011);
    },
  });
  server.websocketServer.on('wsClientError', (_error, socket) => answerRaw(socket, 'INVALID_MESSAGE'));
}
