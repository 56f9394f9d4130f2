export interface ProcessRow {
  readonly pid: number;
  readonly groupId: number;
  /** Opaque. Together with the pid it names one process for ever, across reuse of the pid and across reboots. */
  readonly startTime: string;
}

export interface ScannedProcess extends ProcessRow {
  /** The environment the process was started with, as one text; empty where it may not be read. */
  readonly environment: string;
}

/** The system's processes. A zombie counts as gone: it can neither run nor be killed. */
export interface ProcessTable {
  find(pid: number): ProcessRow | undefined;
  scan(): ScannedProcess[];
}
