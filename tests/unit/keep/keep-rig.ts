import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { type Keep, type KeepOptions, openKeep } from '../../../server/keep/keep.ts';
import { createLogger } from '../../../server/log.ts';
import type { KeepStatus } from '../../../shared/entities.ts';
import { createClaudeHome, type NativeHome } from '../../support/agents/native-homes.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

export const PROJECT = '/home/dev/project';

export interface KeepRig {
  readonly keep: Keep;
  readonly native: NativeHome;
  readonly dataDir: string;
  readonly statuses: readonly KeepStatus[];
  readonly logLines: readonly string[];
  readonly keptSessions: readonly string[];
  sessionId(nativeId: string): string;
  /** The files of a copy, by name. */
  copyOf(nativeId: string): Record<string, Buffer>;
}

export interface KeepRigOptions extends Partial<KeepOptions> {
  readonly native?: NativeHome;
}

/** Copies from a home of Claude Code, without delays and without a limit of speed. */
export async function createKeepRig(options: KeepRigOptions = {}): Promise<KeepRig> {
  const { native = createClaudeHome(), dataDir = scratchDirectory() } = options;
  const statuses: KeepStatus[] = [];
  const logLines: string[] = [];
  const keptSessions: string[] = [];
  const keep = await openKeep({
    dataDir,
    on: true,
    limitBytes: 1024 ** 3,
    clock: systemClock,
    log: createLogger('no token', (line) => logLines.push(line)),
    agents: () => [native.driver],
    projectDirs: () => [PROJECT],
    projectDirOf: () => PROJECT,
    onKept: (sessionId) => keptSessions.push(sessionId),
    onStatus: (status) => statuses.push(status),
    ...options,
    timing: { bytesPerSecond: Number.POSITIVE_INFINITY, ...options.timing },
  });
  onTestFinished(() => keep.close());
  return {
    keep,
    native,
    dataDir,
    statuses,
    logLines,
    keptSessions,
    sessionId: (nativeId) => `${native.driver.cliType}:${nativeId}`,
    copyOf: (nativeId) => readByHand(join(dataDir, 'kept', native.driver.cliType, nativeId)),
  };
}

/** Reads a copy without the code under test, as its index describes it: by name, the newest of each. */
export function readByHand(directory: string): Record<string, Buffer> {
  const lines = readFileSync(join(directory, 'index.jsonl'), 'utf8').split('\n').filter(Boolean);
  const names: string[] = [];
  const contents: Buffer[] = [];
  for (const line of lines) {
    const record = JSON.parse(line);
    if (record.kind === 'file' || record.kind === 'name') names[record.file] = record.name;
    if (record.kind !== 'chunk') continue;
    const data = readFileSync(join(directory, `${record.file}.gz`)).subarray(record.at, record.at + record.size);
    contents[record.file] = Buffer.concat([contents[record.file] ?? Buffer.alloc(0), gunzipSync(data)]);
  }
  return Object.fromEntries(names.map((name, file) => [name, contents[file] ?? Buffer.alloc(0)]));
}

/** The numbered files of a copy. */
export function dataFiles({ dataDir, native }: KeepRig, nativeId: string): string[] {
  const directory = join(dataDir, 'kept', native.driver.cliType, nativeId);
  return readdirSync(directory)
    .filter((name) => name.endsWith('.gz'))
    .map((name) => join(directory, name));
}
