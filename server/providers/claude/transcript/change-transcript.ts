import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { configDirectory, type Environment } from './transcript-files.ts';

/** How long a line may stay without its end before it counts as torn: a process may be writing it. */
const TORN_AFTER_MS = 250;
const LOOK_AGAIN_MS = 50;

/**
 * Appends the title as Claude Code does. The SDK's own function is not used: it looks for the transcript in the home of
 * this process, which may be another than the agent's, and appends to the end of a torn line.
 */
export async function appendTitle(path: string, sessionId: string, title: string, clock: Clock): Promise<void> {
  const row = `${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId })}\n`;
  const file = await open(path, constants.O_RDWR | constants.O_APPEND);
  try {
    let isTorn = await endsInLine(file);
    for (let waited = 0; isTorn && waited < TORN_AFTER_MS; waited += LOOK_AGAIN_MS) {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, LOOK_AGAIN_MS));
      isTorn = await endsInLine(file);
    }
    await file.appendFile(isTorn ? `\n${row}` : row);
  } finally {
    await file.close();
  }
}

async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer[0] !== 0x0a;
}

/** Removes the transcript, and the folder with those of its sub-agents, from every project it is found in. */
export async function deleteTranscripts(env: Environment, nativeId: string): Promise<void> {
  const projects = join(configDirectory(env), 'projects');
  for (const folder of await readdir(projects).catch(() => [])) {
    // The folder first: without a transcript nobody would look for it again.
    await rm(join(projects, folder, nativeId), { recursive: true, force: true });
    await rm(join(projects, folder, `${nativeId}.jsonl`), { force: true });
  }
}
