import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentHome } from './claude.ts';
import { baseEnvironment, type Environment } from './environment.ts';

export interface CodexHome extends AgentHome {
  /** How often Codex retries a broken stream. Default: never. */
  readonly streamRetries?: number;
  /** How often Codex retries a failed request. Default: never. */
  readonly requestRetries?: number;
}

/** Writes a Codex home with the scripted model as its provider and returns the complete environment. */
export async function prepareCodexHome({
  baseUrl,
  home,
  streamRetries = 0,
  requestRetries = 0,
}: CodexHome): Promise<Environment> {
  const codexHome = join(home, '.codex');
  await mkdir(codexHome, { recursive: true });
  const config = [
    'model_provider = "local"',
    '',
    '[model_providers.local]',
    'name = "Scripted model"',
    `base_url = "${baseUrl}/v1"`,
    'env_key = "LOCAL_KEY"',
    'wire_api = "responses"',
    `request_max_retries = ${requestRetries}`,
    `stream_max_retries = ${streamRetries}`,
    '',
    '[analytics]',
    'enabled = false',
    '',
  ];
  await writeFile(join(codexHome, 'config.toml'), config.join('\n'));
  return { ...baseEnvironment(home), CODEX_HOME: codexHome, LOCAL_KEY: 'scripted-model', NO_BROWSER: '1' };
}
