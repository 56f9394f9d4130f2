import { createProvider, type EngineOptions } from '../../engine/create-provider.ts';
import type { CliProvider } from '../../engine/provider-types.ts';
import { type ClaudeDriverDeps, createClaudeDriver } from './claude-driver.ts';

export type ClaudeProviderDeps = ClaudeDriverDeps & EngineOptions;

export function createClaudeProvider(deps: ClaudeProviderDeps): CliProvider {
  return createProvider(createClaudeDriver(deps), deps);
}
