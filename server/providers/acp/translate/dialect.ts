/** What the protocol leaves to the agents and they do differently. */
export interface Dialect {
  /**
   * What a text chunk without `messageId` is. The id is optional and most agents never send one. An agent that gives
   * every message an id uses chunks without one for its notices.
   */
  readonly chunkWithoutId: 'message' | 'notice';
  /** A replay sends each message and each part of a thought in one chunk. Otherwise it may be split anywhere. */
  readonly replaysWholeMessages: boolean;
}

const COMMON: Dialect = { chunkWithoutId: 'message', replaysWholeMessages: false };
const CODEX: Dialect = { chunkWithoutId: 'notice', replaysWholeMessages: true };

/** By the name that the agent reports, so that it does not matter how it was configured. */
export function dialectOf(agentName: string | undefined): Dialect {
  return agentName === '@agentclientprotocol/codex-acp' ? CODEX : COMMON;
}
