import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { ProcessHost } from '../processes/index.ts';
import { createProviderRegistry, type ProviderRegistry } from './provider-registry.ts';

export interface ProviderDeps {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly host: ProcessHost;
  readonly log: Logger;
  readonly warn: (message: string) => void;
}

export async function registerProviders(_deps: ProviderDeps): Promise<ProviderRegistry> {
  return createProviderRegistry();
}
