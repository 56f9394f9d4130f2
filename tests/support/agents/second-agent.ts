import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A second ACP agent besides Codex: Claude Code behind its ACP adapter. */
const ADAPTER = '@agentclientprotocol/claude-agent-acp';

export function secondAgentScript(): string {
  const folders = createRequire(import.meta.url).resolve.paths(ADAPTER) ?? [];
  const script = folders.map((folder) => join(folder, ADAPTER, 'dist/index.js')).find((path) => existsSync(path));
  if (script === undefined) throw new Error(`The package ${ADAPTER} is not installed: run "npm install".`);
  return script;
}
