import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type CommandShape, commandNames, commands } from '../shared/commands.ts';
import { projectSchema, providerInfoSchema, sessionListItemSchema } from '../shared/entities.ts';
import { errorBodySchema, errorCatalogue, errorCodeSchema } from '../shared/errors.ts';
import { eventMessageSchema } from '../shared/events.ts';
import { cliTypeSchema, sessionIdSchema } from '../shared/ids.ts';
import { CLOSE_UNAUTHORIZED } from '../shared/messages.ts';
import {
  diffSchema,
  messageUpsertSchema,
  thinkingUpsertSchema,
  toolCallUpsertSchema,
  turnEventSchema,
  turnSummarySchema,
  turnTimesSchema,
  upsertObjectSchema,
} from '../shared/stream-contracts.ts';
import { usageSchema } from '../shared/stream-events.ts';
import { alternatives, constantOf, fieldTable } from './schema-tables.ts';

/** The objects that have their own section, in order. */
const entities = {
  Project: projectSchema,
  Session: sessionListItemSchema,
  Agent: providerInfoSchema,
  MessageUpsert: messageUpsertSchema,
  ThinkingUpsert: thinkingUpsertSchema,
  ToolCallUpsert: toolCallUpsertSchema,
  Diff: diffSchema,
  TurnSummary: turnSummarySchema,
  TurnTimes: turnTimesSchema,
  Usage: usageSchema,
  Error: errorBodySchema,
} satisfies Record<string, z.ZodType>;

const unions = { Upsert: upsertObjectSchema, TurnEvent: turnEventSchema };

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({ ...entities, ...unions })) names.add(schema, { id });
names.add(sessionIdSchema, { id: 'session id' });
names.add(cliTypeSchema, { id: 'agent type' });
names.add(errorCodeSchema, { id: 'error code' });

const introduction = `# API

Generated from \`shared/commands.ts\` by \`npm run docs:api\`; do not edit.

Every command is available as an HTTP route and as a message on the socket, with the same input, output and errors.

- **Token.** Send \`Authorization: Bearer <token>\`. \`liminal-builder token\` prints the token of the data directory. The
  one in the address that the server prints works too, until the server stops. Only \`GET /api/health\` and the pages need
  none. The page itself sends no token; see \`shared/handshake.ts\`.
- **Host and Origin.** \`Host\` must be a loopback name or the page's own name, with the port of the server (or the host it
  was started with);
  \`Origin\`, if present, must be exactly \`http://\` and that host. Anything else is rejected with \`403\`.
- **Fields.** \`:id\` in an address is the \`sessionId\` or \`projectId\`, URL-encoded. Other fields go into the query of a \`GET\`
  request and otherwise into the body, a JSON object of at most 1 MiB. Unknown fields are rejected.
- **Session ids** are \`{agent type}:{id}\`, for example \`codex:0199…\`; in an address \`codex%3A0199…\`. An **agent type** is
  \`claude-code\`, \`codex\`, or one from \`agents.json\`.
- **Errors** are [Error](#error) objects; the codes are listed [below](#error-codes).
`;

const socket = `## The socket

Connect to \`/ws\`. Without an \`Authorization\` header the first frame must be \`{"type":"auth","token":"…"}\`; the reply
is \`{"type":"auth:ok"}\`. A socket that does not authenticate within 5 seconds, or sends a wrong token, is closed with
code ${CLOSE_UNAUTHORIZED}. So are all sockets when the token is renewed.

A command is a frame with its name as \`type\` and its fields beside it: \`{"type":"project:add","path":"/work","requestId":"1"}\`.
\`requestId\` is an optional string of at most 128 characters that the reply repeats. The reply to a failed command is a
frame of type \`error\`; the connection stays open.

Two frames exist on the socket only:

| Type | Fields | Reply |
|---|---|---|
| \`session:subscribe\` | \`sessionId\`, \`from\` (optional), \`appends\` (optional) | \`session:history\` or \`session:resumed\`, see below |
| \`session:unsubscribe\` | \`sessionId\` | \`session:unsubscribe\` |

Every event of a session has a \`seq\`: 1, 2, 3 … without gaps while the session is in memory, and no number is ever
used twice. The reply to a subscription is a snapshot, \`session:history\`, which includes all events up to \`asOf\`; all
later events follow in order. After a lost connection a client can subscribe \`from\` the last number it has: it gets the
events after that, then \`session:resumed\` if it sent a \`requestId\`. If the server no longer has all of them, or \`from\`
is not a number of this stay in memory, it gets a snapshot instead.

A growing text is sent whole with \`session:upsert\`. While a text of more than 32 KiB grows, at most 4 MiB of such texts
are sent a second: states in between, and their numbers, are skipped, and whatever comes meanwhile waits behind the
newest state. The end of a turn comes at once. A client that subscribes with \`appends: true\` skips nothing and gets
\`session:append\` with the same number instead: \`text\` goes to the end of the item, whose length before must be \`at\`;
with \`end\` the item has ended.

A snapshot has the newest entries only, at most 1,000 or about 1 MiB of content. With \`more: true\` there are older ones,
which \`session:items\` reads page by page.

A client gets one snapshot at a time: if it subscribes to several sessions, each snapshot is sent when it has read the one
before.

A frame of more than 1 MiB closes the socket. A client that leaves more than 8 MiB unread or does not answer pings is
disconnected.`;

function commandSection(name: string, command: CommandShape): string {
  const { method, path, status } = command.http;
  return `### ${name}

${command.summary}

- HTTP: \`${method} ${path}\` → \`${status}\`${command.download ? ', with the file itself as the body and its name in `Content-Disposition`' : ''}
- Socket: replies with \`${command.reply}\`${command.announced ? ', also sent to all other windows without `requestId`' : ''}

Input

${fieldTable(command.input, names, 'input')}

Output

${fieldTable(command.output, names, 'output')}`;
}

function eventSection(): string {
  const sections = alternatives(eventMessageSchema).map(
    (message) => `### Event ${constantOf(message, 'type')}\n\n${fieldTable(message, names, 'output')}`,
  );
  return `## Events\n\nSent by the server. Events of a session go to the windows that subscribed to it, all others to every window.\n\n${sections.join('\n\n')}`;
}

function entitySections(): string {
  const plain = Object.entries(entities).map(
    ([name, schema]) => `### ${name}\n\n${fieldTable(schema, names, 'output')}`,
  );
  const upserts = alternatives(upsertObjectSchema).map((schema) => {
    const id = names.get(schema)?.id ?? '';
    return `- \`type: "${constantOf(schema, 'type')}"\`: [${id}](#${id.toLowerCase()})`;
  });
  const turns = alternatives(turnEventSchema).map((schema) => fieldTable(schema, names, 'output'));
  return [
    '## Objects',
    ...plain,
    `### Upsert\n\nThe complete state of one item of a conversation. It replaces the item with the same \`itemId\`.\n\n${upserts.join('\n')}`,
    `### TurnEvent\n\nOne of\n\n${turns.join('\n\n')}`,
  ].join('\n\n');
}

function errorSection(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`,
  );
  return `## Error codes\n\n| Code | Status | Meaning |\n|---|---|---|\n${rows.join('\n')}`;
}

export function renderApiDocs(): string {
  const health = `### Health

\`GET /api/health\` → \`200\` \`{ok, version, demo, providers}\`, without a token; \`providers\` is a list of [Agent](#agent).`;
  return `${[
    introduction.trim(),
    '## Commands',
    ...commandNames.map((name) => commandSection(name, commands[name])),
    health,
    socket,
    eventSection(),
    entitySections(),
    errorSection(),
  ].join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL('../docs/api.md', import.meta.url)), renderApiDocs());
}
