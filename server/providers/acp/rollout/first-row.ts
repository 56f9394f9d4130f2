import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const LF = 0x0a;
const STEP_BYTES = 64 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;

/** The first row of a file, which holds the instructions of the agent and is long. Undefined if it is no JSON. */
export async function readFirstRow(path: string): Promise<unknown> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    for (let position = 0; position < MAX_BYTES; position += STEP_BYTES) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(STEP_BYTES), 0, STEP_BYTES, position);
      const lf = buffer.subarray(0, bytesRead).indexOf(LF);
      pieces.push(buffer.subarray(0, lf === -1 ? bytesRead : lf));
      if (lf !== -1 || bytesRead < STEP_BYTES) return parse(Buffer.concat(pieces).toString('utf8'));
    }
    return undefined;
  } finally {
    await file.close();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
