import websocket from '@fastify/websocket';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError, errorCatalogue, toErrorBody } from '../shared/errors.ts';
import type { Logger } from './log.ts';
import { type Admission, proveByRequests } from './security/admission.ts';
import { type Guard, installGuard } from './security/guard.ts';
import { sendRawResponse } from './security/raw-response.ts';
import { checkBody } from './security/request-check.ts';

const MAX_FRAME_BYTES = 1024 * 1024;

/** How long a client may take to send a whole request. The response may take longer. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 5_000;

/** How long a client may take to answer a close frame before its socket is destroyed. Bounds the shutdown, too. */
const SOCKET_CLOSE_TIMEOUT_MS = 1_000;

/** Commands are validated by their own schemas, so Fastify's schema compilers need not be loaded at start. */
const noSchemaCompiler = (): never => {
  throw new Error('Routes have no JSON schema.');
};
const schemaController = {
  compilersFactory: { buildValidator: noSchemaCompiler, buildSerializer: noSchemaCompiler },
};

/** The HTTP server without routes: limits, guard and error handling for every request. */
export async function createHttpServer(guard: Guard, admission: Admission, log: Logger): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: MAX_FRAME_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    http: {
      // The guard checks it and answers 403, as for any other wrong host.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    routerOptions: { maxParamLength: 512 },
    schemaController,
    clientErrorHandler: (_error, socket) => sendRawResponse(socket, 'INVALID_MESSAGE'),
    // Hooks do not run for URLs that the router cannot parse, so call the guard and end upgrades here.
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
  // Registered before the guard: the plugin closes the socket of a rejected upgrade only if its own hook ran first.
  await installSockets(server, log);
  installGuard(server, guard);
  admission.attach(server.server);
  proveByRequests(server, admission);
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

/** The only place where errors become responses. An error without a code is logged and its message is not sent. */
function toAnswer(error: FastifyError | AppError, log: Logger, context: object = {}) {
  const known = error instanceof AppError ? error : frameworkError(error);
  if (known === undefined) log.error({ err: error, ...context }, 'unexpected failure');
  const body = toErrorBody(known ?? error);
  return { status: errorCatalogue[body.code].status, body };
}

/** Maps Fastify's own request errors to ours. */
function frameworkError(error: FastifyError): AppError | undefined {
  if (error.statusCode === 413) return new AppError('PAYLOAD_TOO_LARGE');
  if (error.statusCode === 415)
    return new AppError('INVALID_MESSAGE', 'Invalid request payload. Send application/json.');
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new AppError('INVALID_MESSAGE', `Invalid request payload. ${error.message}`);
}

/** Accepts JSON only. An empty body means an empty object, because most commands need no input. */
function installJsonParser(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      checkBody(request, body);
      return parseJson(body.toString());
    },
  );
  // A parser is called only if there is a body.
  server.addHook('preValidation', async (request) => {
    if (request.body === undefined) checkBody(request, undefined);
  });
}

function parseJson(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('INVALID_MESSAGE', 'Invalid request payload. value: expected JSON');
  }
}

async function installSockets(server: FastifyInstance, log: Logger): Promise<void> {
  const options = {
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    closeTimeout: SOCKET_CLOSE_TIMEOUT_MS,
  };
  await server.register(websocket, {
    options,
    // Oversized and malformed frames: the WebSocket library is already closing the socket with the right code.
    errorHandler(error, socket) {
      log.debug({ err: error }, 'socket closed after an error');
      socket.close(1011);
    },
  });
  server.websocketServer.on('wsClientError', (_error, socket) => sendRawResponse(socket, 'INVALID_MESSAGE'));
}
