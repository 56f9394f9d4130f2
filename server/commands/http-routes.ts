import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type CommandName, commandNames, commands } from '../../shared/commands.ts';
import { AppError } from '../../shared/errors.ts';
import { contentDisposition } from '../export/file-name.ts';
import type { CommandRunner, DownloadName } from './run-command.ts';

/** Serves every command as a route. */
export function installHttpRoutes(app: FastifyInstance, runner: CommandRunner): void {
  for (const name of commandNames) {
    const { method, path, status } = commands[name].http;
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const input = inputOf(name, request);
        if (!isDownload(name)) return reply.code(status).send(await runner.run(name, input));
        const { fileName, mediaType, content } = await runner.download(name, input);
        reply.code(status).type(mediaType).header('content-disposition', contentDisposition(fileName));
        return reply.send(Readable.from(content));
      },
    });
  }
}

function isDownload(name: CommandName): name is DownloadName {
  return 'download' in commands[name];
}

/** Merges the id in the path with the query or the body. Rejects an id given both in the path and in the input. */
function inputOf(name: CommandName, request: FastifyRequest): unknown {
  const { id } = request.params as { id?: string };
  const rest = request.method === 'GET' ? request.query : (request.body ?? {});
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest)) {
    throw new AppError('INVALID_MESSAGE', 'Invalid request payload. value: expected a JSON object');
  }
  if (id === undefined) return rest;
  const field = name.startsWith('project:') ? 'projectId' : 'sessionId';
  if (Object.hasOwn(rest, field)) {
    throw new AppError('INVALID_MESSAGE', `Invalid request payload. ${field}: it is in the path already`);
  }
  return { ...rest, [field]: id };
}
