// The least that Node needs for HTTP and a socket, with the ready line of the product so that both are timed alike.
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
