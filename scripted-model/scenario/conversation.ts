/** What an agent's request says, in the order it says it, whichever API it speaks. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string }
  /** A message the user sent into a running turn: the reply goes on, no new turn begins. */
  | { readonly kind: 'aside'; readonly text: string }
  /** Something the agent itself put in as the user, such as "continue where you stopped". */
  | { readonly kind: 'nudge'; readonly text: string }
  | { readonly kind: 'reply' }
  | { readonly kind: 'result'; readonly result: ToolResult };

export interface ToolResult {
  readonly callId: string;
  readonly output: string;
}

export type ApiName = 'anthropic' | 'openai';

/** One request, understood. Everything the choice of a reply depends on comes from the request itself. */
export interface Conversation {
  readonly api: ApiName;
  readonly model: string;
  readonly sessionId: string;
  /** The agent's working directory, where the request names it. */
  readonly cwd: string | undefined;
  /** Every message a person wrote, oldest first, without what agents wrap around it. */
  readonly userMessages: readonly string[];
  /** Messages that arrived while the turn was running. */
  readonly asides: readonly string[];
  /** The message that is being answered: the last of `userMessages`. */
  readonly prompt: string;
  /** Replies already given to that message. */
  readonly position: number;
  /** Results of the tools that the last reply called. */
  readonly results: readonly ToolResult[];
  /** An agent's own side question (a title for the thread), not part of anyone's turn. */
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

/** A reply of several parts (reasoning, text, calls) comes back as neighbouring entries: each run is one reply. */
function countReplies(turn: readonly Entry[]): number {
  return turn.filter((entry, index) => entry.kind === 'reply' && turn[index - 1]?.kind !== 'reply').length;
}
