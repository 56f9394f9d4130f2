import { existsSync } from 'node:fs';
import { realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { AppError } from '../shared/errors.ts';
import { systemClock } from './clock.ts';
import { type Invocation, UsageError } from './config.ts';
import { type ArchiveSummary, exportData } from './data-archive/export-data.ts';
import { importData } from './data-archive/import-data.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { createProcessProbe } from './processes/index.ts';
import { acquireDataLock } from './store/index.ts';

type ArchiveInvocation = Extract<Invocation, { kind: 'export' | 'import' }>;

/** `liminal-builder export <file>` and `liminal-builder import <file>`. */
export async function runArchiveCommand(invocation: ArchiveInvocation): Promise<void> {
  const { kind, file, config } = invocation;
  const run = kind === 'export' ? exportTo : importFrom;
  const { files, bytes } = await run(file, config.dataDir);
  const size = `${files} files, ${(bytes / 1_000_000).toFixed(1)} MB`;
  process.stdout.write(
    kind === 'export'
      ? `Exported ${config.dataDir} to ${file} (${size}). The token and what belongs to this machine is not in it.\n`
      : `Imported ${file} into ${config.dataDir} (${size}). Every file is what was exported.\n`,
  );
}

async function exportTo(file: string, dataDir: string): Promise<ArchiveSummary> {
  if (!existsSync(dataDir))
    throw new UsageError(`--data-dir: ${dataDir} does not exist, so there is nothing to export.`);
  await prepareDataDirectory(dataDir);
  await refuseInside(file, dataDir);
  const locked = await acquireDataLock({ dataDir, probe: createProcessProbe() });
  if (locked.kind === 'busy') {
    const { pid } = locked.owner;
    throw new AppError(
      'DATA_DIR_BUSY',
      `A server (process ${pid}) is using ${dataDir}. Stop it, then export again: a copy of files that change would be no copy.`,
    );
  }
  try {
    return await exportData({ dataDir, file, program: packageJson.version, now: systemClock.now });
  } finally {
    await locked.lock.release();
  }
}

/** The archive would contain itself. */
async function refuseInside(file: string, dataDir: string): Promise<void> {
  const parent = await realpath(dirname(file)).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `export: ${dirname(file)} cannot be used (${error.code}). Name a file in an existing directory.`,
    );
  });
  const inside = await realpath(dataDir);
  if (!`${join(parent, basename(file))}${sep}`.startsWith(`${inside}${sep}`)) return;
  throw new UsageError(`export: ${file} is inside the data directory. Name a file elsewhere.`);
}

async function importFrom(file: string, dataDir: string): Promise<ArchiveSummary> {
  const missing = missingDirectories(dataDir);
  await prepareDataDirectory(dataDir);
  try {
    return await importData({ file, dataDir });
  } catch (error) {
    for (const path of missing) await rmdir(path).catch(() => undefined);
    throw error;
  }
}

/** The directories that have to be created, the innermost first. */
function missingDirectories(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [path, ...missingDirectories(dirname(path))];
}
