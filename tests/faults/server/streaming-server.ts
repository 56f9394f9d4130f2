import { randomUUID } from 'node:crypto';
import { buildApp } from '../../../server/app.ts';
import { systemClock } from '../../../server/clock.ts';
import { createProviderRegistry } from '../../../server/engine/provider-registry.ts';
import { createFolderWatches } from '../../../server/folder-watches.ts';
import { createLogger } from '../../../server/log.ts';
import { openStores } from '../../../server/open-stores.ts';
import { createCredentials } from '../../../server/security/credentials.ts';
import { createScriptedProvider } from '../../support/agents/scripted-provider.ts';

/** A server in its own process that streams on demand and reports its memory. */
export type Order = { readonly stream: { readonly megabytes: number; readonly everyMs: number } };
export type Report =
  | { readonly ready: { readonly url: string; readonly sessionId: string } }
  | { readonly streamed: { readonly count: number; readonly rssBefore: number; readonly rssPeak: number } };

const CONTENT_BYTES = 16 * 1024;
const ITEMS = 50;

const [dataDir = '', token = ''] = process.argv.slice(2);
const agent = createScriptedProvider();
const registry = createProviderRegistry();
registry.register(agent);
const stores = await openStores(dataDir, { warn: console.error, onError: console.error, journalThread: 'here' });
const log = createLogger(token, (line) => process.stderr.write(line));
const app = await buildApp({
  ...stores,
  host: '127.0.0.1',
  credentials: createCredentials({ token }),
  version: '0',
  registry,
  clock: systemClock,
  watches: createFolderWatches(),
  newId: randomUUID,
  log,
  keep: { dataDir, on: false, limitBytes: 0 },
});
const { url } = await app.listen(0);
const project = await stores.projects.addProject(dataDir);
const { sessionId } = await app.service.create({ cliType: agent.cliType, projectId: project.id });

const report = (message: Report) => process.send?.(message);
const filler = 'x'.repeat(CONTENT_BYTES);
const now = () => performance.timeOrigin + performance.now();

/** Emits an upsert with its time first, so that a reader need not parse the rest. */
function emit(index: number): void {
  const at = new Date().toISOString();
  agent.emitUpsert({
    turnId: `made ${now().toFixed(3)}`,
    sessionId,
    itemId: `item-${index % ITEMS}`,
    sourceTimestamp: at,
    emittedAt: at,
    status: 'update',
    type: 'message',
    origin: 'agent',
    content: filler,
  });
}

async function stream({ megabytes, everyMs }: Order['stream']): Promise<void> {
  const count = Math.ceil((megabytes * 1024 * 1024) / CONTENT_BYTES);
  const rssBefore = process.memoryUsage.rss();
  let rssPeak = rssBefore;
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    emit(index);
    // Emit all that are due, then pause: timers are too coarse to pause after each one.
    while (performance.now() - started < index * everyMs) await new Promise((resolve) => setTimeout(resolve, 1));
    if (index % 20 === 0) rssPeak = Math.max(rssPeak, process.memoryUsage.rss());
  }
  report({ streamed: { count, rssBefore, rssPeak } });
}

process.on('message', (order: Order) => void stream(order.stream));
process.on('disconnect', () => process.exit(0));
report({ ready: { url, sessionId } });
