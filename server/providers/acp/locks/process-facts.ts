import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { terminalOfDevice } from '../../../processes/index.ts';

export interface ProcessFacts {
  readonly groupId: number;
  /** The terminal it runs in, such as `pts/3`. */
  readonly tty: string | undefined;
  readonly since: string | undefined;
}

/** Linux always counts these in hundredths of a second for programs. */
const TICKS_PER_SECOND = 100;

/** Undefined for a process that is gone. */
export async function readProcessFacts(pid: number, proc: string): Promise<ProcessFacts | undefined> {
  const read = (...path: string[]) => readFile(join(proc, ...path), 'utf8').catch(() => undefined);
  const stat = await read(String(pid), 'stat');
  if (stat === undefined) return undefined;
  // The name stands in parentheses and may contain everything.
  const [state, , group, , device, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = rest[14];
  if (state === 'Z' || state === 'X' || group === undefined) return undefined;
  const [, booted] = /^btime (\d+)$/m.exec((await read('stat')) ?? '') ?? [];
  const since = booted && ticks ? new Date((Number(booted) + Number(ticks) / TICKS_PER_SECOND) * 1000) : undefined;
  return { groupId: Number(group), tty: terminalOfDevice(Number(device)), since: since?.toISOString() };
}
