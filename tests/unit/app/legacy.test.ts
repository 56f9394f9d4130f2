import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const legacy =
  /session:(update|chunk|complete|cancelled|hello)\b|\bChatEntry\b|\bcreatePromptBridgeMessages\b|\bupsert-v1\b/;

function sources(): string[] {
  return ['server', 'shared', 'client'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

it('stream/TC-6.4b stream/TC-7.4a no source contains the old messages or sends to the socket directly', () => {
  const files = sources();

  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => legacy.test(readFileSync(file, 'utf8')))).toEqual([]);
  expect(['session:chunk', 'ChatEntry[]', 'createPromptBridgeMessages('].every((name) => legacy.test(name))).toBe(true);
});

it('stream/TC-7.4a only delivery and the socket server use a WebSocket', () => {
  const importsWs = /from '(ws|@fastify\/websocket)'/;

  const files = sources().filter((file) => importsWs.test(readFileSync(file, 'utf8')));

  expect(files.map((file) => file.slice(root.length)).sort()).toEqual([
    'server/commands/socket-server.ts',
    'server/http-server.ts',
  ]);
});
