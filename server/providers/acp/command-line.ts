import type { AgentCommand } from './acp-agent.ts';

/** Words between blanks; quotes keep blanks together. No variables, no wildcards: this is not a shell. */
export function splitCommandLine(line: string): AgentCommand {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  const [command = '', ...args] = words;
  return { command, args };
}
