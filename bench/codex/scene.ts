import { join } from 'node:path';
import {
  createScratchHome,
  type Environment,
  findAgents,
  prepareCodexHome,
  say,
  startScriptedModel,
} from '../../scripted-model/index.ts';
import { createProcessHost, createProcessLedger, type ProcessHost } from '../../server/processes/index.ts';

/** The real Codex with its own home and a model that answers at once. */
export interface Scene {
  readonly env: Environment;
  readonly projectDir: string;
  /** The adapter's script. */
  readonly adapter: string;
  readonly host: ProcessHost;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const { codex } = findAgents();
  if (!codex.installed) throw new Error(codex.reason);
  const model = await startScriptedModel({ fallback: [[say('One two three four five six seven eight nine ten.')]] });
  const scratch = await createScratchHome();
  const env = await prepareCodexHome({ baseUrl: model.url, home: scratch.home });
  const host = createProcessHost({ ledger: createProcessLedger(join(scratch.home, 'ledger')) });
  return {
    env,
    projectDir: scratch.projectDir,
    adapter: codex.path,
    host,
    async close() {
      await host.stopAll('the benchmark is over');
      await model.close();
      await scratch.cleanup();
    },
  };
}
