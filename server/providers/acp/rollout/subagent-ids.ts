import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Finds the sub-agents of a conversation, which only its rollout names. Reads what was appended since the last time. */
export interface SubagentIndex {
  /** Empty if the file cannot be read. */
  find(rollout: string): Promise<readonly string[]>;
}

interface Known {
  readonly ino: bigint;
  /** How much of the file was read. */
  readonly length: number;
  /** The end of what was read: an id may begin there. */
  readonly rest: string;
  readonly ids: ReadonlySet<string>;
}

/** In every row that names a sub-agent, at most so far before its id. */
const ROW = 'SubAgentActivity';
const OVERLAP = 512;
const ID = /"agent_thread_id":"([\w.-]{1,128})"/g;

export function createSubagentIndex(): SubagentIndex {
  const files = new Map<string, Known>();

  async function look(rollout: string): Promise<readonly string[]> {
    const { ino, size } = await stat(rollout, { bigint: true });
    const before = files.get(rollout);
    const isSame = before !== undefined && before.ino === ino && BigInt(before.length) <= size;
    let { length, rest } = isSame ? before : { length: 0, rest: '' };
    const ids = new Set(isSame ? before.ids : []);
    if (BigInt(length) < size) {
      for await (const chunk of createReadStream(rollout, {
        start: length,
        end: Number(size) - 1,
        highWaterMark: CHUNK,
      })) {
        const bytes = chunk as Buffer;
        length += bytes.length;
        // Latin 1 is faster, and ids are ASCII. Most pieces name none and are not decoded at all.
        const border = `${rest}${bytes.toString('latin1', 0, OVERLAP)}`;
        if (bytes.includes(ROW) || border.includes(ROW)) {
          for (const [, id = ''] of `${rest}${bytes.toString('latin1')}`.matchAll(ID)) ids.add(id);
        }
        rest = `${rest}${bytes.toString('latin1', Math.max(0, bytes.length - OVERLAP))}`.slice(-OVERLAP);
      }
      files.set(rollout, { ino, length, rest, ids });
    }
    return [...ids];
  }

  return { find: (rollout) => look(rollout).catch(() => []) };
}

const CHUNK = 1024 * 1024;
