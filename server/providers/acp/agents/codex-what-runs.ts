import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import {
  createSettingsReader,
  exists,
  type FindIn,
  type Finding,
  type Found,
  findEnclosingDirectories,
  findHooks,
  hashOf,
  isRecord,
  isSamePlace,
  limitFindings,
  type WhatRuns,
} from '../../../trust/index.ts';
import { findInCodexConfig } from './codex-config.ts';

const isToml = (name: string) => name.endsWith('.toml');
const isRules = (name: string) => name.endsWith('.rules');
/** Declares the servers that a skill needs. */
const isSkillConfig = (name: string) => name === 'openai.yaml' || name === 'openai.yml';
/** Deeper are the files of a skill, which may be many. */
const SKILL_DEPTH = 3;
const isMarketplace = (name: string) => name === 'marketplace.json';

/**
 * What the files of a directory would run in Codex. The adapter declares the directory itself as trusted, so its
 * config.toml counts; those above it count if the user's own configuration trusts the repository.
 */
export function createCodexWhatRuns(cliType: string, env: NodeJS.ProcessEnv): WhatRuns {
  const codexHome = env.CODEX_HOME || join(env.HOME || homedir(), '.codex');

  return async (projectDir) => {
    const { inRepository } = await findEnclosingDirectories(projectDir);
    const reader = createSettingsReader(cliType, projectDir);
    const found = await Promise.all([
      readOwnConfig(),
      ...inRepository.map((directory) => readCodexDirectory(join(directory, '.codex'))),
      ...inRepository.map((directory) => readAgentsDirectory(join(directory, '.agents'))),
    ]);
    return limitFindings(found.flat());

    async function readCodexDirectory(directory: string): Promise<readonly Finding[]> {
      if (!(await exists(directory)) || (await isSamePlace(directory, codexHome))) return [];
      const parts = await Promise.all([
        reader.file(join(directory, 'config.toml'), (text) => findInCodexConfig(parse(text))),
        reader.file(join(directory, 'hooks.json'), (text) => findInHooksFile(JSON.parse(text))),
        reader.files(join(directory, 'agents'), isToml, (text, path) =>
          findInCodexConfig(parse(text)).map(ofAgent(path)),
        ),
        reader.files(join(directory, 'rules'), isRules, asItIs('rule')),
      ]);
      return parts.flat();
    }

    async function readAgentsDirectory(directory: string): Promise<readonly Finding[]> {
      if (!(await exists(directory))) return [];
      const parts = await Promise.all([
        reader.files(join(directory, 'skills'), isSkillConfig, asItIs('skill'), SKILL_DEPTH),
        reader.files(join(directory, 'plugins'), isMarketplace, asItIs('plugin')),
      ]);
      return parts.flat();
    }

    /** The adapter would override what the user's own config.toml says about this directory. */
    async function readOwnConfig(): Promise<readonly Finding[]> {
      const refusals = await reader.file(join(codexHome, 'config.toml'), (text) => findRefusals(text, inRepository));
      // A configuration that cannot be read is the user's own problem, which Codex reports.
      return refusals.filter(({ isRefused }) => isRefused);
    }
  };
}

function findRefusals(config: string, directories: readonly string[]): readonly Found[] {
  const { projects } = parse(config);
  if (!isRecord(projects)) return [];
  return directories.flatMap((directory): readonly Found[] => {
    const project = Object.hasOwn(projects, directory) ? projects[directory] : undefined;
    if (!isRecord(project) || project.trust_level !== 'untrusted') return [];
    const detail = `Your own Codex configuration says that ${directory} is untrusted. The adapter would trust it all the same.`;
    return [{ kind: 'rule', name: 'trust_level', value: directory, detail, isRefused: true }];
  });
}

function findInHooksFile(contents: unknown): readonly Found[] {
  return findHooks(isRecord(contents) && 'hooks' in contents ? contents.hooks : contents);
}

const ofAgent = (path: string) => (found: Found) => ({ ...found, name: `${basename(path, '.toml')}: ${found.name}` });

/** For files that count by being there. */
function asItIs(kind: Found['kind']): FindIn {
  return (text, path) => {
    const name = isSkillConfig(basename(path)) ? basename(dirname(dirname(path))) : basename(path);
    return [{ kind, name, value: hashOf(text), detail: text.trim() }];
  };
}
