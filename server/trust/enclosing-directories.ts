import { dirname, join, resolve } from 'node:path';
import { exists, readSettingsFile } from './settings-file.ts';

export interface EnclosingDirectories {
  /** The directory and those above it up to the root of its repository, or all of them if there is none. */
  readonly inRepository: readonly string[];
  /** The directory and all those above it. */
  readonly all: readonly string[];
  /** The main checkout, if the directory is in a linked worktree. Its settings count there too. */
  readonly mainCheckout?: string;
}

export async function findEnclosingDirectories(projectDir: string): Promise<EnclosingDirectories> {
  const all = [projectDir];
  for (let at = projectDir; dirname(at) !== at; at = dirname(at)) all.push(dirname(at));
  const inRepository: string[] = [];
  for (const directory of all) {
    inRepository.push(directory);
    if (!(await exists(join(directory, '.git')))) continue;
    const mainCheckout = await findMainCheckout(directory);
    return { inRepository, all, ...(mainCheckout !== undefined && { mainCheckout }) };
  }
  return { inRepository, all };
}

/** In a linked worktree `.git` is a file that names a directory below the `.git` of the main checkout. */
async function findMainCheckout(root: string): Promise<string | undefined> {
  const link = await readSettingsFile(join(root, '.git'));
  const [, target] = (link.kind === 'text' && /^gitdir: (.+)$/m.exec(link.text)) || [];
  if (target === undefined) return undefined;
  const gitDir = resolve(root, target.trim());
  const common = await readSettingsFile(join(gitDir, 'commondir'));
  return common.kind === 'text' ? dirname(resolve(gitDir, common.text.trim())) : undefined;
}
