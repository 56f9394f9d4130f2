import { join } from 'node:path';
import { baseEnvironment, type Environment } from './environment.ts';

export interface AgentHome {
  /** The scripted model's `url`. */
  readonly baseUrl: string;
  /** A scratch directory; the agent keeps its settings and transcripts below it. */
  readonly home: string;
}

/** The complete environment for a Claude Code that uses the scripted model and only its scratch home. */
export function claudeEnvironment({ baseUrl, home }: AgentHome): Environment {
  return {
    ...baseEnvironment(home),
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'scripted-model',
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}
