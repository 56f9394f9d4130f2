/** What the beginning of a rollout says. */
export interface RolloutHead {
  readonly cwd: string | undefined;
  /** The conversation that started this one as a sub-agent. */
  readonly parentId: string | undefined;
  readonly isFork: boolean;
  readonly createdAt: string | undefined;
  /** It was made by `codex exec`. */
  readonly isRun: boolean;
}

/** All of it stands before the instructions, which are long: the first row need not be there as a whole. */
export const HEAD_BYTES = 4 * 1024;

export function readRolloutHead(beginning: string): RolloutHead {
  const [row = ''] = beginning.slice(0, HEAD_BYTES).split('\n', 1);
  const payload = row.slice(Math.max(0, row.indexOf('"payload"')));
  return {
    cwd: fieldOf(row, 'cwd'),
    parentId: fieldOf(row, 'parent_thread_id'),
    isFork: fieldOf(row, 'forked_from_id') !== undefined,
    createdAt: fieldOf(payload, 'timestamp'),
    isRun: fieldOf(row, 'source') === 'exec' || fieldOf(row, 'originator') === 'codex_exec',
  };
}

function fieldOf(row: string, name: string): string | undefined {
  const [, value] = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*")`).exec(row) ?? [];
  return value === undefined ? undefined : (JSON.parse(value) as string);
}
