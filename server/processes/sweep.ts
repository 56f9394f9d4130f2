import { type Clock, systemClock } from '../clock.ts';
import type { LedgerEntry, ProcessLedger } from './process-ledger.ts';
import type { ProcessTable } from './process-table.ts';
import { reap } from './reap.ts';
import { createProcessTable } from './system-process-table.ts';

export interface SweepOptions {
  readonly ledger: ProcessLedger;
  readonly table?: ProcessTable;
  readonly clock?: Clock;
}

export interface SweepReport {
  /** Children whose exit an earlier server did not see. Most have exited by themselves. */
  readonly swept: readonly LedgerEntry[];
  /** Pids that could not be killed; their entries are kept for the next start. */
  readonly survivors: readonly number[];
}

/**
 * Kills the processes that a killed server left. Call it at start, with the lock of the data directory and before the
 * first spawn, when all entries in the ledger are from earlier servers.
 */
export async function sweepProcesses(options: SweepOptions): Promise<SweepReport> {
  const { ledger, table = createProcessTable(), clock = systemClock } = options;
  const swept = ledger.entries();
  const left = await reap(swept, { table, clock });
  for (const entry of swept) if (!left.has(entry)) ledger.remove(entry.id);
  return { swept, survivors: [...left.values()].flat() };
}
