import { join } from 'node:path';
import {
  claudeEnvironment,
  createScratchHome,
  type Environment,
  findAgents,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../../scripted-model/index.ts';
import { createProcessHost, createProcessLedger, type ProcessHost } from '../../server/processes/index.ts';

/** The real Claude Code with its own home and a model that answers at once. */
export interface Scene {
  readonly model: ScriptedModel;
  readonly env: Environment;
  readonly projectDir: string;
  readonly executable: string;
  readonly host: ProcessHost;
  /** Where the agent keeps the transcripts of the project. */
  readonly transcripts: string;
  close(): Promise<void>;
}

/** The duration of a turn in milliseconds. */
export interface TurnTimes {
  /** From sending the message to the first token. */
  readonly firstToken: number;
  /** From the model's first event to the first token. */
  readonly delivery: number;
}

/** A session that is ready for its first message. */
export interface WarmSession {
  turn(): Promise<TurnTimes>;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const { claude } = findAgents();
  if (!claude.installed) throw new Error(claude.reason);
  const model = await startScriptedModel({ fallback: [[say('One two three four five six seven eight nine ten.')]] });
  const scratch = await createScratchHome();
  const env = claudeEnvironment({ baseUrl: model.url, home: scratch.home });
  const host = createProcessHost({ ledger: createProcessLedger(join(scratch.home, 'ledger')) });
  return {
    model,
    env,
    projectDir: scratch.projectDir,
    executable: claude.path,
    host,
    transcripts: join(scratch.home, '.claude', 'projects', scratch.projectDir.replace(/[^a-zA-Z0-9]/g, '-')),
    async close() {
      await host.stopAll('benchmark over');
      await model.close();
      await scratch.cleanup();
    },
  };
}

/** Milliseconds since the epoch, with fractions, as in the model's log. */
export const epochNow = (): number => performance.timeOrigin + performance.now();

/** How long ago the model sent the first event of its latest reply. */
export function sinceModelAnswered({ model }: Scene): number {
  return epochNow() - (model.requests.at(-1)?.firstEventAt ?? Number.NaN);
}
