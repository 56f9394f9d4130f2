import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProcessTable } from '../../../processes/index.ts';
import { configDirectory, type Environment } from '../transcript/transcript-files.ts';

/** The entry that Claude Code writes for each of its processes. A killed process leaves its entry behind. */
const entrySchema = z.object({
  pid: z.number().int().positive(),
  sessionId: z.string(),
  procStart: z.string().optional(),
});

/**
 * Finds another process that has the conversation open. Claude Code itself does not prevent that: both processes would
 * write to the transcript, and the messages of one of them would be lost.
 */
export async function findHolder(
  env: Environment,
  nativeId: string,
  table: ProcessTable,
  isOurs: (pid: number) => boolean,
): Promise<number | undefined> {
  const folder = join(configDirectory(env), 'sessions');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const entries = await Promise.all(names.map((name) => readEntry(join(folder, name))));
  return entries.find(
    (entry) => entry?.sessionId === nativeId && !isOurs(entry.pid) && isRunning(entry.pid, entry.procStart, table),
  )?.pid;
}

async function readEntry(file: string): Promise<z.infer<typeof entrySchema> | undefined> {
  try {
    return entrySchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** On Linux the start time is in ticks since boot, as in our process table. Elsewhere only the pid is compared. */
function isRunning(pid: number, procStart: string | undefined, table: ProcessTable): boolean {
  const row = table.find(pid);
  if (row === undefined) return false;
  const ticks = /:(\d+)$/.exec(row.startTime)?.[1];
  return ticks === undefined || procStart === undefined || !/^\d+$/.test(procStart) || ticks === procStart;
}
