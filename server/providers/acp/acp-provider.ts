import { createProvider, type EngineOptions } from '../../engine/create-provider.ts';
import type { CliProvider } from '../../engine/provider-types.ts';
import { type AcpDriverDeps, createAcpDriver } from './acp-driver.ts';

export type AcpProviderDeps = AcpDriverDeps & EngineOptions;

/** A provider for an agent that speaks the Agent Client Protocol. */
export function createAcpProvider(deps: AcpProviderDeps): CliProvider {
  return createProvider(createAcpDriver(deps), deps);
}
