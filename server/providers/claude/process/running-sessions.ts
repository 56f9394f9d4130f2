import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProcessTable } from '../../../processes/index.ts';
import { configDirectory, type Environment } from '../transcript/transcript-files.ts';

/** What Claude Code writes about each of its processes; one that was killed leaves its entry behind. */
const entrySchema = z.object({
  pid: z.number().int().positive(),
  sessionId: z.string(),
  procStart: z.string().optional(),
});

/**
 * The process that has a conversation open, other than ours. Claude Code itself would let both go on: each would
 * write to the transcript without knowing of the other, and one of them would be forgotten.
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

/** On Linux the start is given in ticks since boot, as our table has it; elsewhere the pid must do. */
function isRunning(pid: number, procStart: string | undefined, table: ProcessTable): boolean {
  const row = table.find(pid);
  if (row === undefined) return false;
  const ticks = /:(\d+)$/.exec(row.startTime)?.[1];
  return ticks === undefined || procStart === undefined || !/^\d+$/.test(procStart) || ticks === procStart;
}
