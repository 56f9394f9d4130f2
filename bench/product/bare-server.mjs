// A minimal Node server with HTTP and a socket. Prints the product's ready line, so that both are timed the same way.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer((_request, response) => response.end('ok'));
new WebSocketServer({ server });
process.on('SIGTERM', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  process.stdout.write(`Liminal Builder is ready at http://127.0.0.1:${port}/#token=none\n`);
});
