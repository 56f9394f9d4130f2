import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PermissionMode } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import type { Access } from '../../../engine/permission.ts';
import { configDirectory, type Environment } from '../transcript/transcript-files.ts';

/** The mode to start Claude Code with, and what that means for permissions that it asks for. */
export interface ClaudeAccess {
  readonly permissionMode: PermissionMode;
  readonly access: Access;
}

export interface ClaudeAccessOptions {
  readonly env: Environment;
  readonly projectDir: string;
  /** The settings of the project are not loaded. */
  readonly withoutProjectSettings: boolean;
  readonly isRoot?: boolean;
  /** Where administrators keep settings that users cannot change. */
  readonly managedDirectory?: string;
}

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'] as const;

const settingsSchema = z.object({ permissions: z.object({ defaultMode: z.enum(MODES) }) });

const MANAGED_DIRECTORIES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  linux: '/etc/claude-code',
  win32: 'C:\\Program Files\\ClaudeCode',
};

/**
 * Reads the mode from the settings, because one that is not passed to Claude Code may differ by account. The first file
 * with a valid mode counts, in the order of Claude Code. Never rejects.
 */
export async function readClaudeAccess(options: ClaudeAccessOptions): Promise<ClaudeAccess> {
  const { env, projectDir, withoutProjectSettings, isRoot = process.getuid?.() === 0 } = options;
  const managed = options.managedDirectory ?? MANAGED_DIRECTORIES[process.platform];
  const files = [
    ...(managed === undefined ? [] : [join(managed, 'managed-settings.json')]),
    ...(withoutProjectSettings
      ? []
      : ['settings.local.json', 'settings.json'].map((name) => join(projectDir, '.claude', name))),
    join(configDirectory(env), 'settings.json'),
  ];
  for (const file of files) {
    const mode = await readMode(file);
    if (mode !== undefined) return toAccess(mode, file, isRoot && !env.IS_SANDBOX);
  }
  return { permissionMode: 'default', access: { mode: 'normal' } };
}

function toAccess(permissionMode: PermissionMode, file: string, isRefusedBypass: boolean): ClaudeAccess {
  const chosenBy = `permissions.defaultMode in ${file}`;
  if (permissionMode === 'plan') return { permissionMode, access: { mode: 'plan', chosenBy } };
  // Claude Code denies by itself and asks nothing.
  if (permissionMode === 'dontAsk') return { permissionMode, access: { mode: 'never-ask', chosenBy } };
  // It refuses to start without permissions as root. With its default mode it starts, and what it asks for is allowed.
  const isRefused = permissionMode === 'bypassPermissions' && isRefusedBypass;
  return { permissionMode: isRefused ? 'default' : permissionMode, access: { mode: 'normal', chosenBy } };
}

/** A file that is missing or invalid says nothing. */
async function readMode(file: string): Promise<PermissionMode | undefined> {
  try {
    const settings: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
    return settingsSchema.parse(settings).permissions.defaultMode;
  } catch {
    return undefined;
  }
}

/**
 * In plan mode Claude Code lets a check on Anthropic's server decide about commands. Without that server it denies them
 * with a reason that misleads; then it is told to ask, and the answer has the right reason.
 */
export function hasServerCheck({ ANTHROPIC_BASE_URL: url }: Environment): boolean {
  return !url || /^https:\/\/api\.anthropic\.com(?:\/|$)/.test(url);
}
