import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scratch } from './rig.ts';

const ECHO = fileURLToPath(new URL('../../examples/echo-agent.mjs', import.meta.url));

/** Configures the example agent in this data directory. */
export function configureEcho({ dataDir }: Scratch): void {
  const agent = { cliType: 'echo', label: 'Echo', command: process.execPath, args: [ECHO], protocol: 'envelope' };
  writeFileSync(join(dataDir, 'agents.json'), JSON.stringify({ version: 1, agents: [agent] }));
}
