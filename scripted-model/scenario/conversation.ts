/** The content of an agent's request in order, independent of the API. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string }
  /** A message that the user sent during a turn; it does not start a new turn. */
  | { readonly kind: 'aside'; readonly text: string }
  /** A message that the agent added in the user's name, such as "continue where you stopped". */
  | { readonly kind: 'nudge'; readonly text: string }
  | { readonly kind: 'reply' }
  | { readonly kind: 'result'; readonly result: ToolResult };

export interface ToolResult {
  readonly callId: string;
  readonly output: string;
}

export type ApiName = 'anthropic' | 'openai';

/** A parsed request. The choice of a reply depends on nothing else. */
export interface Conversation {
  readonly api: ApiName;
  readonly model: string;
  readonly sessionId: string;
  /** The agent's working directory, if the request names it. */
  readonly cwd: string | undefined;
  /** All messages that a person wrote, oldest first, without what agents add around them. */
  readonly userMessages: readonly string[];
  /** Messages that arrived while the turn was running. */
  readonly asides: readonly string[];
  /** The message to reply to: the last of `userMessages`. */
  readonly prompt: string;
  /** The number of replies already given to that message. */
  readonly position: number;
  /** Results of the tools that the last reply called. */
  readonly results: readonly ToolResult[];
  /** A request outside any turn, such as for the title of a thread. */
  readonly isSideQuestion: boolean;
}

interface Facts extends Pick<Conversation, 'api' | 'model' | 'sessionId' | 'cwd' | 'isSideQuestion'> {
  readonly entries: readonly Entry[];
}

export function describeConversation({ entries, ...facts }: Facts): Conversation {
  const userMessages = entries.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []));
  const turn = entries.slice(entries.findLastIndex((entry) => entry.kind === 'user') + 1);
  const sinceReply = turn.slice(turn.findLastIndex((entry) => entry.kind === 'reply') + 1);
  return {
    ...facts,
    userMessages,
    asides: turn.flatMap((entry) => (entry.kind === 'aside' ? [entry.text] : [])),
    prompt: userMessages.at(-1) ?? '',
    position: countReplies(turn),
    results: sinceReply.flatMap((entry) => (entry.kind === 'result' ? [entry.result] : [])),
  };
}

/** A reply with several parts (reasoning, text, calls) is sent back as adjacent entries, which count as one reply. */
function countReplies(turn: readonly Entry[]): number {
  return turn.filter((entry, index) => entry.kind === 'reply' && turn[index - 1]?.kind !== 'reply').length;
}
