import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** How much of a task's output is shown, counted from its end. */
const TAIL_BYTES = 64 * 1024;

/** The last line, added by Claude Code when the task ends. */
const TRAILER = /\n?\[(?:exited with code \d+|killed)\]\n*$/;

/** Reads the end of a task's output. Resolves to undefined if there is no such file. */
export async function readOutputFile(path: string): Promise<string | undefined> {
  // Opening a pipe would otherwise wait for somebody to write to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return toShownOutput(await readTail(file));
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Starts with a complete line if the beginning is cut off. */
async function readTail(file: FileHandle): Promise<string> {
  const found = await file.stat();
  if (!found.isFile()) throw new Error('Not a file.');
  const { size } = found;
  const start = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const text = buffer.toString('utf8', 0, bytesRead);
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
}

export function toShownOutput(text: string): string {
  return text.replace(TRAILER, '').replace(/\n+$/, '');
}
