import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openJournal } from '../../server/journal/open-journal.ts';
import { packageRoot } from '../../server/package-root.ts';
import { startServerProcess } from '../../tests/support/product/server-process.ts';
import { createScratch, productCommand, type Scratch, startProduct } from '../product/rig.ts';
import { type BenchRow, median } from '../report.ts';

const SESSIONS = 10_000;
const STARTS = 12;
const TARGET_MS = 50;
const AT = '2026-01-01T00:00:00.000Z';

/** From the spawn to the ready line. Without: a copy of the server whose worker does nothing. */
export async function starting(): Promise<BenchRow[]> {
  const scratch = createScratch();
  await (await startProduct(scratch)).stop();
  await writeSessions(scratch);
  const root = join(scratch.home, 'copy');
  mkdirSync(root);
  cpSync(join(packageRoot(), 'package.json'), join(root, 'package.json'));
  cpSync(dirname(productCommand[1] ?? ''), join(root, 'dist', 'server'), { recursive: true });
  writeFileSync(join(root, 'dist', 'server', 'journal-worker.js'), '');
  const commands = { with: productCommand, without: [process.execPath, join(root, 'dist', 'server', 'main.js')] };

  const times = { with: [] as number[], without: [] as number[] };
  for (let index = 0; index < STARTS; index += 1) {
    for (const which of ['without', 'with'] as const) {
      const env = { ...process.env, HOME: scratch.home };
      const server = await startServerProcess({ command: commands[which], dataDir: scratch.dataDir, env });
      times[which].push(server.readyMs);
      await server.stop('SIGKILL');
    }
  }
  scratch.remove();
  const difference = median(times.with) - median(times.without);
  return [
    {
      measure: `start with ${SESSIONS.toLocaleString('en')} sessions in the journal, to the ready line, against a worker that does nothing, median of ${STARTS}`,
      value: `${difference < 0 ? '' : '+'}${difference.toFixed(0)} ms (${median(times.with).toFixed(0)} against ${median(times.without).toFixed(0)})`,
      target: `≤ +${TARGET_MS} ms`,
      met: difference <= TARGET_MS,
    },
  ];
}

async function writeSessions({ dataDir, projectDir }: Scratch): Promise<void> {
  const projectId = '11111111-1111-4111-8111-111111111111';
  const projects = [{ id: projectId, path: projectDir, name: 'project', addedAt: AT }];
  const ids = Array.from({ length: SESSIONS }, (_, index) => `claude-code:session-${index}`);
  const sessions = ids.map((id) => ({
    id,
    projectId,
    cliType: 'claude-code',
    archived: false,
    title: id,
    createdAt: AT,
    lastActiveAt: AT,
  }));
  writeFileSync(join(dataDir, 'projects.json'), JSON.stringify({ version: 1, projects, removed: [] }));
  writeFileSync(join(dataDir, 'sessions.json'), JSON.stringify({ version: 1, sessions }));
  const journal = await openJournal({ dataDir, thread: 'worker', warn: console.error });
  for (const sessionId of ids) {
    const turnId = `turn-of-${sessionId}`;
    const common = {
      type: 'message',
      sessionId,
      turnId,
      sourceTimestamp: AT,
      emittedAt: AT,
      status: 'complete',
    } as const;
    journal.record(
      sessionId,
      Array.from({ length: 10 }, (_, index) => ({
        kind: 'item' as const,
        seq: index,
        position: index,
        upsert: {
          ...common,
          origin: 'agent' as const,
          itemId: `${turnId}:0:${index}`,
          content: 'Some words. '.repeat(20),
        },
      })),
    );
  }
  await journal.close();
}
