export { createLineReader } from './line-reader.ts';
export {
  createProcessHost,
  type HostedProcess,
  type ProcessExit,
  type ProcessHost,
  type SpawnRequest,
} from './process-host.ts';
export { createProcessLedger, type ProcessLedger } from './process-ledger.ts';
export { createProcessProbe } from './process-start-time.ts';
export type { ProcessTable } from './process-table.ts';
export { readInSlices } from './read-in-slices.ts';
export { createRetryMachine, type RetryStatus } from './retry-machine.ts';
export { SpawnError, type SpawnErrorCode } from './spawn-error.ts';
export { sweepProcesses } from './sweep.ts';
export { createProcessTable } from './system-process-table.ts';
export { terminalOf, terminalOfDevice } from './terminal-of.ts';
