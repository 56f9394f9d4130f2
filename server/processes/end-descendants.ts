import type { Clock } from '../clock.ts';
import { killQuietly } from './kill.ts';
import type { ProcessTable, ScannedProcess } from './process-table.ts';

const PAUSE_MS = 50;
/** How long they may take to end after they were asked to. */
const TERM_PASSES = 20;
const MAX_PASSES = 60;

export interface Descendants {
  /** The marker in the environment of the child and its descendants. */
  readonly id: string;
  /** Only those that were started with this in their environment. */
  readonly variable: string;
  readonly value: string;
}

/**
 * Ends some descendants of a child, first by asking, then by force. Resolves when they are gone, with false where there
 * were none. The marker makes sure that no unrelated process is meant.
 */
export async function endDescendants(
  { id, variable, value }: Descendants,
  { table, clock }: { readonly table: ProcessTable; readonly clock: Clock },
): Promise<boolean> {
  const wanted = `${variable}=${value}`;
  const isMeant = ({ environment }: ScannedProcess) =>
    environment.includes(id) && environment.split(/[\0\s]/).includes(wanted);
  const find = () => table.scan().filter((row) => row.pid !== process.pid && isMeant(row));

  let found = find();
  if (found.length === 0) return false;
  for (const { pid } of found) killQuietly(pid, 'SIGTERM');
  for (let pass = 0; found.length > 0 && pass < MAX_PASSES; pass += 1) {
    if (pass > TERM_PASSES) for (const { pid } of found) killQuietly(pid);
    await new Promise<void>((resolve) => clock.setTimeout(resolve, PAUSE_MS));
    found = find();
  }
  return true;
}
