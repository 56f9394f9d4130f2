export interface ProcessRow {
  readonly pid: number;
  readonly groupId: number;
  /** Opaque. Together with the pid it identifies a process across pid reuse and reboots. */
  readonly startTime: string;
}

export interface ScannedProcess extends ProcessRow {
  /** The environment the process was started with, as one string; empty if it cannot be read. */
  readonly environment: string;
}

/** The processes of the system, without zombies. */
export interface ProcessTable {
  find(pid: number): ProcessRow | undefined;
  scan(): ScannedProcess[];
}
