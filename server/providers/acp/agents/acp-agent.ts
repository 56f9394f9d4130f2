import type { CliType } from '../../../../shared/ids.ts';
import type { AgentWords } from '../connection/acp-errors.ts';

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** One kind of agent that speaks the protocol: everything the provider has to know about it. */
export interface AcpAgent extends AgentWords {
  readonly cliType: CliType;
  /** Variables on top of the server's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Finds the program without starting it; a string says what is missing and what to do. */
  locate(): AgentCommand | string;
}
