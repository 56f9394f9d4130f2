import type { WhatRuns } from '../../../trust/index.ts';
import type { ConfiguredAgent } from '../../agents-config.ts';
import { findProgram } from '../../find-program.ts';
import type { AcpAgent } from './acp-agent.ts';

/** An agent that was added in agents.json. */
export function createConfiguredAgent(entry: ConfiguredAgent, env: NodeJS.ProcessEnv, whatRuns: WhatRuns): AcpAgent {
  const { cliType, label, command, args } = entry;
  return {
    cliType,
    label,
    signInHint: 'Sign in with its own command line program, then try again.',
    env: entry.env,
    whatRuns,
    locate() {
      const path = entry.env.PATH ?? env.PATH;
      if (findProgram(command, path) !== undefined) return { command, args };
      return `The command "${command}" was not found. Check that it's installed, or correct it in agents.json.`;
    },
  };
}
