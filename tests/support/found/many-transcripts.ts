import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeRollout, writeTranscript } from './transcripts.ts';

export interface ManyTranscripts {
  /** How many of each agent. */
  readonly count: number;
  readonly claudeHome: string;
  readonly codexHome: string;
  /** Conversations are spread over them. */
  readonly directories: readonly string[];
  /** Of one transcript and one rollout. */
  readonly bytes?: { readonly claude: number; readonly codex: number };
}

const DAY_MS = 24 * 60 * 60_000;
const FIRST_DAY = Date.UTC(2026, 0, 1, 9);
const DAYS = 200;

/** Conversations of both agents, one in ten of them a run. Codex's are spread over 200 days. */
export function writeManyTranscripts({ count, claudeHome, codexHome, directories, bytes }: ManyTranscripts): void {
  for (const directory of directories) mkdirSync(directory, { recursive: true });
  for (const folder of [join(claudeHome, 'projects'), join(codexHome, 'sessions')])
    mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const at = new Date(FIRST_DAY + (index % DAYS) * DAY_MS + index * 1_000).toISOString();
    const cwd = directories[index % directories.length] ?? '/';
    const common = { cwd, at, prompt: `Do number ${index} of what is to be done`, isRun: index % 10 === 9 };
    writeTranscript(claudeHome, { ...common, bytes: bytes?.claude ?? 0 });
    writeRollout(codexHome, { ...common, bytes: bytes?.codex ?? 0 });
  }
}
