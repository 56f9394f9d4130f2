import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { asRecord, asString } from '../wire/json.ts';

/** Where an agent is installed, or what to install. */
export type FoundAgent =
  | { readonly installed: true; readonly path: string }
  | { readonly installed: false; readonly reason: string };

export interface FoundAgents {
  /** The Claude Code binary of the SDK's platform package. */
  readonly claude: FoundAgent;
  /** The adapter's script, to be run with Node. */
  readonly codex: FoundAgent;
}

const CLAUDE_SDK = '@anthropic-ai/claude-agent-sdk';
const CODEX_ADAPTER = '@agentclientprotocol/codex-acp';

/** Searches the directories in which Node looks up packages for the module at `from`. */
export function findAgents(from: string | URL = import.meta.url): FoundAgents {
  const require = createRequire(from);
  return { claude: findClaude(require), codex: findCodexAdapter(require) };
}

function findClaude(require: NodeJS.Require): FoundAgent {
  const sdk = packageDirectory(CLAUDE_SDK, require);
  if (sdk === undefined) return missing(CLAUDE_SDK);
  const variants = process.platform === 'linux' ? ['', '-musl'] : [''];
  const fromSdk = createRequire(join(sdk, 'package.json'));
  for (const variant of variants) {
    const directory = packageDirectory(`${CLAUDE_SDK}-${process.platform}-${process.arch}${variant}`, fromSdk);
    const binary = directory && join(directory, process.platform === 'win32' ? 'claude.exe' : 'claude');
    if (binary && existsSync(binary)) return { installed: true, path: binary };
  }
  return missing(`${CLAUDE_SDK}-${process.platform}-${process.arch}`);
}

function findCodexAdapter(require: NodeJS.Require): FoundAgent {
  const directory = packageDirectory(CODEX_ADAPTER, require);
  if (directory === undefined) return missing(CODEX_ADAPTER);
  const { bin } = asRecord(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
  return { installed: true, path: join(directory, asString(asRecord(bin)['codex-acp'])) };
}

/** Does not resolve the package, because its exports may hide its package.json. */
function packageDirectory(name: string, require: NodeJS.Require): string | undefined {
  return (require.resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((directory) => existsSync(join(directory, 'package.json')));
}

function missing(name: string): FoundAgent {
  return {
    installed: false,
    reason: `The package ${name} is not installed: run "npm install" without --omit=optional.`,
  };
}
