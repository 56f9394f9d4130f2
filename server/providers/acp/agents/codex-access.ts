import { join } from 'node:path';
import { z } from 'zod';
import { readToml } from '../../../toml.ts';
import { codexHome, type Environment } from '../rollout/rollout-files.ts';
import type { AgentAccess } from './acp-agent.ts';

const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const choiceSchema = z.object({
  sandbox_mode: optional(z.enum(['read-only', 'workspace-write', 'danger-full-access'])),
  approval_policy: optional(z.string()),
  default_permissions: optional(z.string()),
});
const configSchema = choiceSchema.extend({
  profile: optional(z.string()),
  profiles: optional(z.record(z.string(), z.unknown())),
});
type Choice = z.infer<typeof choiceSchema>;

/** The adapter's names for what it calls modes. Each is a sandbox together with who approves. */
const READ_ONLY = 'read-only';
const WORKSPACE_WRITE = 'workspace-write';
const FULL_ACCESS = 'agent-full-access';

/**
 * The adapter ignores `sandbox_mode` and `approval_policy`, so they are turned into a mode of the adapter here. Where
 * nothing is set, or only what the adapter's default does as well, its default stays: the project can be written to, and
 * a review by the model decides about anything beyond. Never rejects.
 */
export async function readCodexAccess(env: Environment, projectDir?: string): Promise<AgentAccess> {
  const { INITIAL_AGENT_MODE: started } = env;
  if (started) {
    const chosenBy = 'INITIAL_AGENT_MODE in the environment';
    return { access: started === READ_ONLY ? { mode: 'read-only', chosenBy } : { mode: 'normal' } };
  }
  const own = join(codexHome(env), 'config.toml');
  const files = projectDir === undefined ? [own] : [join(projectDir, '.codex', 'config.toml'), own];
  const chosen = await Promise.all(files.map(readChoice));
  const first = (name: keyof Choice) => {
    const at = chosen.findIndex((choice) => choice[name] !== undefined);
    return { value: chosen[at]?.[name], chosenBy: `${name} in ${files[at]}` };
  };
  // Codex honours a profile of its own permissions by itself.
  if (first('default_permissions').value !== undefined) return { access: { mode: 'normal' } };
  const sandbox = first('sandbox_mode');
  const approval = first('approval_policy');
  if (sandbox.value === 'danger-full-access') return { access: { mode: 'normal' }, modeId: FULL_ACCESS };
  if (sandbox.value === 'read-only') {
    return { access: { mode: 'read-only', chosenBy: sandbox.chosenBy }, modeId: READ_ONLY };
  }
  if (approval.value === 'never') {
    return { access: { mode: 'never-ask', chosenBy: approval.chosenBy }, modeId: WORKSPACE_WRITE };
  }
  return { access: { mode: 'normal' } };
}

/** A profile counts before the rest of its file. */
async function readChoice(file: string): Promise<Choice> {
  const read = await readToml(file);
  const config = configSchema.safeParse(read.found ? read.values : {}).data;
  const profile = choiceSchema.safeParse(config?.profiles?.[config.profile ?? ''] ?? {}).data;
  return { ...withoutUndefined(config), ...withoutUndefined(profile) };
}

function withoutUndefined(choice: Choice | undefined): Choice {
  return Object.fromEntries(Object.entries(choice ?? {}).filter(([, value]) => value !== undefined));
}
