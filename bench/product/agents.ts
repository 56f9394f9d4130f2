import {
  claudeEnvironment,
  findAgents,
  prepareCodexHome,
  type Rule,
  type ScriptedModel,
  startScriptedModel,
} from '../../scripted-model/index.ts';
import { createScratch, type Product, type Scratch, startProduct } from './rig.ts';

export interface RealAgents {
  readonly model: ScriptedModel;
  readonly server: Product;
  readonly scratch: Scratch;
  close(): Promise<void>;
}

/** The product with the real Claude Code and Codex, both with a scripted model and a scratch home. */
export async function startWithRealAgents(rules: readonly Rule[]): Promise<RealAgents> {
  for (const agent of Object.values(findAgents())) if (!agent.installed) throw new Error(agent.reason);
  const scratch = createScratch();
  const model = await startScriptedModel({ rules });
  const home = { baseUrl: model.url, home: scratch.home };
  const env = { ...claudeEnvironment(home), ...(await prepareCodexHome(home)) };
  const server = await startProduct(scratch, { env });
  return {
    model,
    server,
    scratch,
    async close() {
      await server.stop();
      await model.close();
      scratch.remove();
    },
  };
}
