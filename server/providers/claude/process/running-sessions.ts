import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { holderSchema } from '../../../../shared/entities.ts';
import type { ProcessTable } from '../../../processes/index.ts';

/** The entry that Claude Code writes for each of its processes. A killed process leaves its entry behind. */
const entrySchema = z.object({
  pid: z.number().int().positive(),
  sessionId: z.string(),
  procStart: z.string().optional().catch(undefined),
  pidDomain: z.string().optional().catch(undefined),
  startedAt: z.number().optional().catch(undefined),
  status: holderSchema.shape.status.catch(undefined),
});

export type RunningSession = z.infer<typeof entrySchema>;

export interface RunningSessions {
  /** The conversations that processes on this machine have open, ours among them. Never rejects. */
  list(): Promise<readonly RunningSession[]>;
}

/** Reads the folder of entries. Each file is read again only when it has changed. */
export function createRunningSessions(folder: string, table: ProcessTable): RunningSessions {
  const read = new Map<string, { readonly stamp: string; readonly entry: RunningSession | undefined }>();
  const namespace = readlink('/proc/self/ns/pid').catch(() => undefined);

  async function readEntry(name: string): Promise<RunningSession | undefined> {
    const path = join(folder, name);
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    const stamp = `${mtimeNs} ${size} ${ino}`;
    const known = read.get(name);
    if (known?.stamp === stamp) return known.entry;
    const entry = entrySchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data;
    read.set(name, { stamp, entry });
    return entry;
  }

  return {
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
      for (const name of [...read.keys()]) if (!names.includes(name)) read.delete(name);
      const entries = await Promise.all(names.map((name) => readEntry(name).catch(() => undefined)));
      const here = await namespace;
      return entries.filter(
        (entry) => entry !== undefined && isIn(here, entry) && isRunning(entry, table),
      ) as readonly RunningSession[];
    },
  };
}

/** A pid of another namespace, such as that of a container, means another process here. */
function isIn(namespace: string | undefined, { pidDomain }: RunningSession): boolean {
  return namespace === undefined || !pidDomain?.includes('pid:[') || pidDomain.endsWith(namespace);
}

/** On Linux the start time is in ticks since boot, as in our process table. Elsewhere only the pid is compared. */
function isRunning({ pid, procStart }: RunningSession, table: ProcessTable): boolean {
  const row = table.find(pid);
  if (row === undefined) return false;
  const ticks = /:(\d+)$/.exec(row.startTime)?.[1];
  return ticks === undefined || procStart === undefined || !/^\d+$/.test(procStart) || ticks === procStart;
}
