import type { Conversation } from './conversation.ts';

/** How fast text leaves the model. Without one, every word is its own delta and nothing waits. */
export type Pace =
  | { readonly tokensPerSecond: number }
  | { readonly wordsPerChunk?: number; readonly msBetweenChunks?: number };

/** A string is cut into words by its pace; a function yields its own chunks, each made when it is sent. */
export type Text = string | (() => Iterable<string>);

export type ToolCall =
  | { readonly tool: 'shell'; readonly command: string; readonly description: string }
  | { readonly tool: 'read'; readonly path: string }
  | { readonly tool: 'write'; readonly path: string; readonly content: string }
  | { readonly tool: 'edit'; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly tool: 'delegate'; readonly description: string; readonly prompt: string }
  | { readonly tool: 'named'; readonly name: string; readonly input: Readonly<Record<string, unknown>> | string };

export type Step =
  | { readonly kind: 'say' | 'think'; readonly text: Text; readonly pace: Pace }
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'gate'; readonly name: string }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'fail'; readonly status: number; readonly message: string; readonly times: number }
  | { readonly kind: 'cut'; readonly times: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'runOut' };

/** One model message. It ends after its last step; calls in one reply are made at once. */
export type Reply = readonly Step[];

/** The replies to one prompt: the first at once, each further one after the tools of the one before have run. */
export type Scenario = readonly Reply[] | ((conversation: Conversation) => readonly Reply[]);

/** Attempts at the same reply that are affected; later attempts play on. Default: all of them. */
export interface Times {
  readonly times?: number;
}

export const say = (text: Text, pace: Pace = {}): Step => ({ kind: 'say', text, pace });

export const think = (text: Text, pace: Pace = {}): Step => ({ kind: 'think', text, pace });

/** Runs a command: Claude's `Bash`, Codex's `exec_command`. */
export const shell = (command: string, description = 'Run a command'): Step =>
  toolCall({ tool: 'shell', command, description });

/** Reads a file: Claude's `Read`, for Codex `cat`. Claude refuses to edit or overwrite a file it has not read. */
export const readFile = (path: string): Step => toolCall({ tool: 'read', path });

/** Creates or replaces a file: Claude's `Write`, Codex's `apply_patch`. Paths may be relative to the project. */
export const writeFile = (path: string, content: string): Step => toolCall({ tool: 'write', path, content });

/** Replaces whole lines of a file: Claude's `Edit`, Codex's `apply_patch`. */
export const editFile = (path: string, oldText: string, newText: string): Step =>
  toolCall({ tool: 'edit', path, oldText, newText });

/**
 * Starts a sub-agent. Its own requests are answered by the rule that matches `prompt`.
 * Claude waits for it; a Codex sub-agent runs beside its parent until that calls `collaboration.wait_agent`.
 */
export const delegate = (prompt: string, description = 'Delegate a task'): Step =>
  toolCall({ tool: 'delegate', description, prompt });

/** Calls a tool by its own name. Codex takes a string as a custom (freeform) tool's input. */
export const callTool = (name: string, input: Readonly<Record<string, unknown>> | string): Step =>
  toolCall({ tool: 'named', name, input });

/** Waits until the test says `server.release(name)` or `server.open(name)`. */
export const gate = (name: string): Step => ({ kind: 'gate', name });

export const pause = (ms: number): Step => ({ kind: 'pause', ms });

/** Answers with an HTTP status; after the reply has begun, with an error event inside the stream. */
export const fail = (status: number, message = 'scripted failure', { times = Infinity }: Times = {}): Step => ({
  kind: 'fail',
  status,
  message,
  times,
});

/** Is overloaded for the first `times` attempts, then plays on. */
export const overloaded = (times = 1): Step => fail(529, 'Overloaded', { times });

/** Drops the connection without ending the reply. */
export const cut = ({ times = Infinity }: Times = {}): Step => ({ kind: 'cut', times });

/** Says nothing more and keeps the connection open until the agent or the server closes it. */
export const hang = (): Step => ({ kind: 'hang' });

/** Ends the reply here because the model has used up its output tokens. */
export const runOutOfTokens = (): Step => ({ kind: 'runOut' });

function toolCall(call: ToolCall): Step {
  return { kind: 'call', call };
}
