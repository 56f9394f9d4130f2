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
  /** Children a former server had not seen end. Most were gone already. */
  readonly swept: readonly LedgerEntry[];
  /** Pids that could not be killed; their entries stay for the next start. */
  readonly survivors: readonly number[];
}

/**
 * Ends what a killed server left behind. Call it at start, holding the data directory's lock and before the first
 * spawn: then every entry in the ledger is a dead server's.
 */
export async function sweepProcesses(options: SweepOptions): Promise<SweepReport> {
  const { ledger, table = createProcessTable(), clock = systemClock } = options;
  const swept = ledger.entries();
  const left = await reap(swept, { table, clock });
  for (const entry of swept) if (!left.has(entry)) ledger.remove(entry.id);
  return { swept, survivors: [...left.values()].flat() };
}
