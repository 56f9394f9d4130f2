import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findProgram } from '../../find-program.ts';
import type { Environment } from '../transcript/transcript-files.ts';

const SDK = '@anthropic-ai/claude-agent-sdk';

export type FoundExecutable =
  | { readonly found: true; readonly path: string }
  /** What to do about it. */
  | { readonly found: false; readonly reason: string };

/** The program the user chose, else the one inside the SDK's package for this system. Starts nothing. */
export function findClaudeExecutable(chosen: string | undefined, env: Environment): FoundExecutable {
  if (chosen !== undefined) {
    const path = findProgram(chosen, env.PATH);
    if (path !== undefined) return { found: true, path };
    return {
      found: false,
      reason: `CLAUDE_PATH names "${chosen}", which is not a program that can be run. Correct it, or unset it to use the Claude Code that is installed along with Liminal Builder.`,
    };
  }
  const path = findPackagedExecutable();
  if (path !== undefined) return { found: true, path };
  return {
    found: false,
    reason: `Claude Code is not installed. Run "npm install" without --omit=optional, or set CLAUDE_PATH to your own claude program.`,
  };
}

function findPackagedExecutable(): string | undefined {
  const sdk = findPackage(SDK, createRequire(import.meta.url));
  if (sdk === undefined) return undefined;
  const fromSdk = createRequire(join(sdk, 'package.json'));
  const variants = process.platform === 'linux' ? ['', '-musl'] : [''];
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return variants
    .map((variant) => findPackage(`${SDK}-${process.platform}-${process.arch}${variant}`, fromSdk))
    .flatMap((folder) => (folder === undefined ? [] : [join(folder, name)]))
    .find((file) => existsSync(file));
}

/** By looking, not by resolving: the packages do not export their package.json. */
function findPackage(name: string, from: NodeJS.Require): string | undefined {
  return (from.resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}
