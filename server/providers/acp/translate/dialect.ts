/** What the protocol leaves to the agents and they do differently. */
export interface Dialect {
  /**
   * What a text chunk without `messageId` is. The id is optional and most agents never send one. An agent that gives
   * every message an id uses chunks without one for its notices.
   */
  readonly chunkWithoutId: 'message' | 'notice';
  /** A replay sends each message and each part of a thought in one chunk. Otherwise it may be split anywhere. */
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

/** By the name that the agent reports, so that it does not matter how it was configured. */
export function dialectOf(agentName: string | undefined): Dialect {
  return agentName === '@agentclientprotocol/codex-acp' ? CODEX : COMMON;
}
