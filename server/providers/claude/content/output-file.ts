import { type FileHandle, open } from 'node:fs/promises';

/** How much of a task's output is shown: its end. */
const TAIL_BYTES = 64 * 1024;

/** What Claude Code adds when the task ends. */
const TRAILER = /\n?\[(?:exited with code \d+|killed)\]\n*$/;

/** The end of a task's output. Undefined where there is no such file. */
export async function readOutputFile(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return toShownOutput(await readTail(file));
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Begins with a whole line where something is cut off. */
async function readTail(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const text = buffer.toString('utf8', 0, bytesRead);
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
}

export function toShownOutput(text: string): string {
  return text.replace(TRAILER, '').replace(/\n+$/, '');
}
