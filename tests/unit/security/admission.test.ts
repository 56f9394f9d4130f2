import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createAdmission } from '../../../server/security/admission.ts';
import { createTestApp } from '../../support/server/test-app.ts';

/** Resolves when the server has the connection and everything that was sent. */
async function openConnection(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.resume();
  if (text !== '') await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  return socket;
}

it.each([
  ['nothing', ''],
  ['half of its headers', 'GET / HTTP/1.1\r\nHost: '],
  [
    'half of its body',
    'POST /api/project HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
])('safe/flood the oldest connection that has sent %s is closed for a new one', async (_what, text) => {
  const app = await createTestApp({ limits: { maxWaiting: 3 } });
  const oldest = await openConnection(app.port, text);
  const closed = once(oldest, 'close');
  const others = [await openConnection(app.port, text), await openConnection(app.port, text)];

  expect((await app.request('GET', '/api/project')).status).toBe(200);
  others.push(await openConnection(app.port, text));

  await closed;
  expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
});

it('safe/flood windows that connect at the same time do not close each other before they have proved themselves', async () => {
  const app = await createTestApp({ limits: { maxWaiting: 3 } });
  const connections = await Promise.all(Array.from({ length: 6 }, () => openConnection(app.port)));
  const request = `GET /api/project HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nAuthorization: Bearer ${app.token}\r\n\r\n`;
  for (const connection of connections) {
    connection.write(request);
    const [answer] = await once(connection, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  }
});

it('safe/flood a connection whose request had valid credentials is not closed for others, one with wrong ones is', async () => {
  const app = await createTestApp({ limits: { maxWaiting: 1 } });
  const request = (token: string) =>
    `GET /api/project HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const proven = await openConnection(app.port);
  proven.write(request(app.token));
  await once(proven, 'data');
  const wrong = await openConnection(app.port);
  wrong.write(request('x'.repeat(32)));
  await once(wrong, 'data');
  const closed = once(wrong, 'close');

  for (let count = 0; count < 3; count += 1) await openConnection(app.port);

  await closed;
  proven.write(request(app.token));
  await once(proven, 'data');
});

it('safe/flood counts the connections of all servers together', async () => {
  const admission = createAdmission({ maxWaiting: 1, log: { warn: () => undefined } });
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(async (server) => {
      admission.attach(server);
      onTestFinished(() => void server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );

  const first = await openConnection(ports[0] ?? 0);
  const closed = once(first, 'close');
  await openConnection(ports[1] ?? 0);

  await closed;
});
