export { createLineReader, type LineReader, type OversizedLine } from './line-reader.ts';
export {
  createProcessHost,
  type HostedProcess,
  type ProcessExit,
  type ProcessHost,
  type SpawnRequest,
} from './process-host.ts';
export { createProcessLedger, type ProcessLedger } from './process-ledger.ts';
export { createProcessProbe, type ProcessIdentity, type ProcessProbe } from './process-start-time.ts';
export { createProcessTable, type ProcessTable } from './process-table.ts';
export { createRetryMachine, type RetryMachine, type RetryStatus } from './retry-machine.ts';
export { SpawnError, type SpawnErrorCode } from './spawn-error.ts';
export { type SweepReport, sweepProcesses } from './sweep.ts';
