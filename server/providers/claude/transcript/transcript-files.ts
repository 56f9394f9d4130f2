import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const metaSchema = z.object({ toolUseId: z.string() });

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Claude Code keeps its settings, transcripts and the list of running sessions. */
export function configDirectory(env: Environment): string {
  const { CLAUDE_CONFIG_DIR: chosen, HOME: home } = env;
  return chosen || join(home || homedir(), '.claude');
}

/** The transcript of a session, whichever project it is filed under; the given one is looked at first. */
export async function findTranscript(
  env: Environment,
  nativeId: string,
  projectDir: string,
): Promise<string | undefined> {
  const projects = join(configDirectory(env), 'projects');
  const name = `${nativeId}.jsonl`;
  const likely = join(projects, projectDir.replace(/[^a-zA-Z0-9]/g, '-'), name);
  if (await isFile(likely)) return likely;
  const folders = await readdir(projects).catch(() => []);
  const candidates = folders.map((folder) => join(projects, folder, name));
  const found = await Promise.all(candidates.map(isFile));
  return candidates.find((_, index) => found[index]);
}

/** The transcripts of sub-agents, by the call they worked for. */
export async function readSubAgentTranscripts(transcript: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.meta.json'));
  const found = await Promise.all(names.map((name) => readSubAgent(join(folder, name))));
  return new Map(found.filter((entry) => entry !== undefined));
}

async function readSubAgent(metaFile: string): Promise<[string, string] | undefined> {
  try {
    const { toolUseId } = metaSchema.parse(JSON.parse(await readFile(metaFile, 'utf8')));
    return [toolUseId, await readFile(metaFile.replace(/\.meta\.json$/, '.jsonl'), 'utf8')];
  } catch {
    // A sub-agent that cannot be read is missing from the history; its report is in the call's result.
    return undefined;
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
