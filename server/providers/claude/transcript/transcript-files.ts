import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { TranscriptEntry } from './transcript-entry.ts';
import { readEntries } from './transcript-lines.ts';

const META = '.meta.json';
const MAX_FOLDER_NAME = 200;
const metaSchema = z.object({ toolUseId: z.string(), stoppedByUser: z.boolean().optional().catch(undefined) });

export interface SubAgentTranscript {
  readonly agentId: string;
  /** The call that started it. */
  readonly callId: string;
  /** Whether the user stopped it. After an interruption this is recorded nowhere else. */
  readonly isStopped: boolean;
  readonly entries: readonly TranscriptEntry[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Claude Code keeps its settings, transcripts and the list of running sessions. */
export function configDirectory(env: Environment): string {
  const { CLAUDE_CONFIG_DIR: chosen, HOME: home } = env;
  return chosen || join(home || homedir(), '.claude');
}

/**
 * The folder for the sessions of a directory. A long name is cut here, and Claude Code adds a hash: then this is only its
 * beginning.
 */
export function folderNameOf(directory: string): string {
  return directory.replace(/[^a-zA-Z0-9]/g, '-').slice(0, MAX_FOLDER_NAME);
}

/** Finds the transcript of a session in any project, looking at the given one first. */
export async function findTranscript(
  env: Environment,
  nativeId: string,
  projectDir: string,
): Promise<string | undefined> {
  const projects = join(configDirectory(env), 'projects');
  const name = `${nativeId}.jsonl`;
  const likely = join(projects, folderNameOf(projectDir), name);
  if (await isFile(likely)) return likely;
  const folders = await readdir(projects).catch(() => []);
  const candidates = folders.map((folder) => join(projects, folder, name));
  const found = await Promise.all(candidates.map(isFile));
  return candidates.find((_, index) => found[index]);
}

/** Whether a sub-agent is needed, by its id and the call that started it. */
export type IsWanted = (agentId: string, callId: string) => boolean;

/** The transcripts of the sub-agents of a session. */
export async function readSubAgentTranscripts(
  transcript: string,
  isWanted: IsWanted = () => true,
): Promise<readonly SubAgentTranscript[]> {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(META));
  const found = await Promise.all(names.map((name) => readSubAgent(folder, name.slice(0, -META.length), isWanted)));
  return found.filter((agent) => agent !== undefined);
}

async function readSubAgent(folder: string, name: string, isWanted: IsWanted): Promise<SubAgentTranscript | undefined> {
  try {
    const meta = metaSchema.parse(JSON.parse(await readFile(join(folder, `${name}${META}`), 'utf8')));
    if (!isWanted(name.replace(/^agent-/, ''), meta.toolUseId)) return undefined;
    const entries: TranscriptEntry[] = [];
    await readEntries(join(folder, `${name}.jsonl`), (entry) => entries.push(entry));
    const agentId = name.replace(/^agent-/, '');
    return { agentId, callId: meta.toolUseId, isStopped: meta.stoppedByUser === true, entries };
  } catch {
    // The steps of a sub-agent that cannot be read are missing; its report is in the result of its call.
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
