import type { CliType } from '../../shared/ids.ts';
import { ProviderError } from './provider-errors.ts';
import type { CliProvider } from './provider-types.ts';

export interface ProviderRegistry {
  register(provider: CliProvider): void;
  /** Throws UNSUPPORTED_CLI_TYPE when no provider has that type. */
  resolve(cliType: CliType): CliProvider;
  /** In the order of registration. */
  list(): readonly CliProvider[];
}

export function createProviderRegistry(): ProviderRegistry {
  const providers = new Map<CliType, CliProvider>();
  return {
    register(provider) {
      if (providers.has(provider.cliType)) {
        throw new Error(`A provider for ${provider.cliType} is registered already.`);
      }
      providers.set(provider.cliType, provider);
    },
    resolve(cliType) {
      const provider = providers.get(cliType);
      if (provider !== undefined) return provider;
      const known = [...providers.keys()].join(', ') || 'none';
      throw new ProviderError(
        'UNSUPPORTED_CLI_TYPE',
        `There is no agent of type "${cliType}". Known types: ${known}. Further ones can be added in agents.json.`,
      );
    },
    list: () => [...providers.values()],
  };
}
