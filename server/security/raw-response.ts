import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode, errorCatalogue, toErrorBody } from '../../shared/errors.ts';
import { securityHeaders } from './headers.ts';

/** Responds on the raw socket to a request that is too malformed to be routed, and closes it. */
export function sendRawResponse(socket: Duplex, code: ErrorCode): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status } = errorCatalogue[code];
  const body = JSON.stringify(toErrorBody(new AppError(code)));
  const headers = Object.entries({
    ...securityHeaders,
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`, () => socket.destroy());
}
