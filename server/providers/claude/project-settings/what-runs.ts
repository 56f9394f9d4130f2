import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  createSettingsReader,
  exists,
  type FindIn,
  type Finding,
  type Found,
  findEnclosingDirectories,
  hashOf,
  isSamePlace,
  limitFindings,
  type WhatRuns,
} from '../../../trust/index.ts';
import { configDirectory, type Environment } from '../transcript/transcript-files.ts';
import { findActiveParts } from './front-matter.ts';
import { findInMcpJson, findInSettings } from './settings-json.ts';

const isMarkdown = (name: string) => name.toLowerCase().endsWith('.md');
const isSkill = (name: string) => name.toLowerCase() === 'skill.md';
/** A skill that has one of these is a plugin, which may bring hooks and servers. */
const isPluginPart = (name: string) => ['plugin.json', '.mcp.json', '.lsp.json', 'hooks.json'].includes(name);
const isAny = () => true;
/** Deeper are the files of a skill, which may be many. */
const SKILL_DEPTH = 3;

/**
 * What the files of a directory would run in Claude Code, found by trying it: `.mcp.json` counts in every directory above,
 * local settings, skills, commands and sub-agents up to the root of the repository and in the main checkout of a
 * worktree. The user's own configuration is not part of it.
 */
export function createClaudeWhatRuns(cliType: string, env: Environment): WhatRuns {
  const ownDirectories = [configDirectory(env), join(env.HOME || homedir(), '.claude')];

  return async (projectDir) => {
    const { inRepository, all, mainCheckout } = await findEnclosingDirectories(projectDir);
    const withSettings = mainCheckout === undefined ? inRepository : [...inRepository, mainCheckout];
    const reader = createSettingsReader(cliType, projectDir);
    const found = await Promise.all([
      ...all.map((directory) => reader.file(join(directory, '.mcp.json'), inJson(findInMcpJson))),
      ...withSettings.map((directory) => readClaudeDirectory(join(directory, '.claude'))),
    ]);
    return limitFindings(found.flat());

    async function readClaudeDirectory(directory: string): Promise<readonly Finding[]> {
      if (!(await exists(directory))) return [];
      const isOwn = await Promise.all(ownDirectories.map((own) => isSamePlace(directory, own)));
      if (isOwn.includes(true)) return [];
      const parts = await Promise.all([
        reader.file(join(directory, 'settings.json'), inJson(findInSettings)),
        reader.file(join(directory, 'settings.local.json'), inJson(findInSettings)),
        reader.file(join(directory, 'scheduled_tasks.json'), asItIs('command')),
        reader.files(join(directory, 'agents'), isMarkdown, inMarkdown('agent')),
        reader.files(join(directory, 'commands'), isMarkdown, inMarkdown('command')),
        reader.files(join(directory, 'skills'), isSkill, inMarkdown('skill'), SKILL_DEPTH),
        reader.files(join(directory, 'skills'), isPluginPart, asItIs('plugin'), SKILL_DEPTH),
        reader.files(join(directory, 'workflows'), isAny, asItIs('command')),
        reader.files(join(directory, 'routines'), isAny, asItIs('command')),
      ]);
      return parts.flat();
    }
  };
}

function inJson(find: (value: unknown) => readonly Found[]): FindIn {
  return (text) => find(JSON.parse(text.replace(/^\uFEFF/, '')));
}

function inMarkdown(kind: Found['kind']): FindIn {
  return (text, path) => {
    const active = findActiveParts(text);
    const name = isSkill(basename(path)) ? basename(dirname(path)) : basename(path, '.md');
    return active.length === 0 ? [] : [{ kind, name, value: hashOf(text), detail: active.join('\n') }];
  };
}

/** For files that count by being there. */
function asItIs(kind: Found['kind']): FindIn {
  return (text, path) => [{ kind, name: basename(path), value: hashOf(text), detail: text.trim() }];
}
