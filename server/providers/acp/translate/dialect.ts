/** What agents do differently within the freedom of the protocol. */
export interface Dialect {
  /**
   * What a text chunk without `messageId` is. The protocol makes the id optional, so that most agents never send one;
   * an agent that gives every message its id uses chunks without one for notices of its own.
   */
  readonly chunkWithoutId: 'message' | 'notice';
  /** A replay sends each message, and each part of a thought, in one chunk. Otherwise it may be cut anywhere. */
  readonly replaysWholeMessages: boolean;
  /**
   * A command that has no result when the model goes on, or when the turn is over, still runs and is reported when it
   * ends. Otherwise such a call was forgotten, and ends with its turn.
   */
  readonly commandsOutliveTurns: boolean;
  /** It tells when it begins to work and when it has nothing more to do, also between prompts. */
  readonly reportsActivity: boolean;
  /** The variable in the environment of a command that names its call, by which its processes can be found. */
  readonly callVariable?: string;
}

const COMMON: Dialect = {
  chunkWithoutId: 'message',
  replaysWholeMessages: false,
  commandsOutliveTurns: false,
  reportsActivity: false,
};
const CODEX: Dialect = {
  chunkWithoutId: 'notice',
  replaysWholeMessages: true,
  commandsOutliveTurns: true,
  reportsActivity: true,
  callVariable: 'CODEX_TOOL_CALL_ID',
};

/** By the name that the agent gives itself, so that it is understood however it was configured. */
export function dialectOf(agentName: string | undefined): Dialect {
  return agentName === '@agentclientprotocol/codex-acp' ? CODEX : COMMON;
}
