import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fromCanonical, nativeIdSchema } from '../../../../shared/ids.ts';
import type { NativeFiles, NativeSession } from '../../../engine/native-files.ts';
import { filesBelow, isBelow, readParts, stampOf, toNativeFile, withRealPaths } from '../../native-files.ts';
import { cwdOfRow } from './listing.ts';
import { configDirectory, type Environment, findTranscript, folderNameOf } from './transcript-files.ts';

const TRANSCRIPT = '.jsonl';

/** The files that make up the history of a session. */
export async function historyStamp(
  env: Environment,
  nativeId: string,
  projectDir: string,
): Promise<string | undefined> {
  const transcript = await findTranscript(env, nativeId, projectDir);
  if (transcript === undefined) return undefined;
  return stampOf([transcript, ...(await filesBelow(join(folderOf(transcript), 'subagents')))]);
}

export function createClaudeNativeFiles(env: Environment): NativeFiles {
  const home = configDirectory(env);
  const projects = join(home, 'projects');
  /** By path of the transcript: where a session was started does not change. */
  const cwds = new Map<string, string>();

  async function cwdOf(transcript: string): Promise<string | undefined> {
    const cwd = cwds.get(transcript) ?? (await readCwd(transcript).catch(() => undefined));
    if (cwd !== undefined) cwds.set(transcript, cwd);
    return cwd;
  }

  async function describe(transcript: string, cwd: string | undefined, hasFolder = true): Promise<NativeSession> {
    const paths = [transcript, ...(hasFolder ? await filesBelow(folderOf(transcript)) : [])];
    const nativeId = basename(transcript, TRANSCRIPT);
    return { nativeId, cwd, files: paths.map((path) => toNativeFile(home, path)) };
  }

  return {
    home: () => home,
    nativeIdOf: (sessionId) => fromCanonical(sessionId).nativeId,
    async find(nativeId, projectDir) {
      const transcript = await findTranscript(env, nativeId, projectDir);
      return transcript === undefined ? undefined : describe(transcript, await cwdOf(transcript));
    },
    async *list(projectDirs) {
      const directories = await withRealPaths(projectDirs);
      const prefixes = directories.map((directory) => folderNameOf(directory));
      for (const folder of await readdir(projects).catch(() => [])) {
        // The name of a folder cannot be decoded, but it tells which directories cannot be meant.
        if (!prefixes.some((prefix) => folder.startsWith(prefix))) continue;
        const names = new Set(await readdir(join(projects, folder)).catch(() => []));
        for (const name of names) {
          const nativeId = basename(name, TRANSCRIPT);
          if (nativeId === name || !nativeIdSchema.safeParse(nativeId).success) continue;
          const transcript = join(projects, folder, name);
          const cwd = await cwdOf(transcript);
          if (cwd !== undefined && isBelow(cwd, directories)) yield describe(transcript, cwd, names.has(nativeId));
        }
      }
    },
  };
}

const folderOf = (transcript: string) => transcript.slice(0, -TRANSCRIPT.length);

const PART = 16 * 1024;
/** The first rows may be this long. */
const MAX_HEAD = 2 * 1024 * 1024;
/** From the first row that has it, else from the end, else from a first row that is long. */
function readCwd(path: string): Promise<string | undefined> {
  return readParts(
    path,
    async ({ size, read }) =>
      findCwd(await read(0, PART)) ??
      (size > PART ? findCwd(await read(size - PART, PART)) : undefined) ??
      (size > PART ? findCwd(await read(0, MAX_HEAD)) : undefined),
  );
}

function findCwd(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const cwd = cwdOfRow(line);
    if (cwd !== undefined) return cwd;
  }
  return undefined;
}
