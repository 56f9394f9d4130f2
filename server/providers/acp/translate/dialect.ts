/** What agents do differently within the freedom of the protocol. */
export interface Dialect {
  /**
   * What a text chunk without `messageId` is. The protocol makes the id optional, so that most agents never send one;
   * an agent that gives every message its id uses chunks without one for notices of its own.
   */
  readonly chunkWithoutId: 'message' | 'notice';
  /** A replay sends each message, and each part of a thought, in one chunk. Otherwise it may be cut anywhere. */
  readonly replaysWholeMessages: boolean;
}

const COMMON: Dialect = { chunkWithoutId: 'message', replaysWholeMessages: false };
const CODEX: Dialect = { chunkWithoutId: 'notice', replaysWholeMessages: true };

/** By the name that the agent gives itself, so that it is understood however it was configured. */
export function dialectOf(agentName: string | undefined): Dialect {
  return agentName === '@agentclientprotocol/codex-acp' ? CODEX : COMMON;
}
