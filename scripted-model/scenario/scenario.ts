import type { Conversation } from './conversation.ts';

/** How fast text is streamed. Without a pace, every word is a delta and nothing is delayed. */
export type Pace =
  | { readonly tokensPerSecond: number }
  | { readonly wordsPerChunk?: number; readonly msBetweenChunks?: number };

/** A string is split into words by its pace; a function yields its own chunks, one at a time. */
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

/** One model message. It ends after its last step; all tool calls in a reply are made together. */
export type Reply = readonly Step[];

/** The replies to one prompt: each one follows when the tools of the previous one have run. */
export type Scenario = readonly Reply[] | ((conversation: Conversation) => readonly Reply[]);

/** How many attempts at the same reply are affected. Default: all. */
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
 * Starts a sub-agent, whose requests are answered by the rule that matches `prompt`. Claude waits for it; a Codex
 * sub-agent runs in parallel until its parent calls `collaboration.wait_agent`.
 */
export const delegate = (prompt: string, description = 'Delegate a task'): Step =>
  toolCall({ tool: 'delegate', description, prompt });

/** Calls a tool by its native name. For Codex, a string is the input of a custom (freeform) tool. */
export const callTool = (name: string, input: Readonly<Record<string, unknown>> | string): Step =>
  toolCall({ tool: 'named', name, input });

/** Waits until the test calls `server.release(name)` or `server.open(name)`. */
export const gate = (name: string): Step => ({ kind: 'gate', name });

export const pause = (ms: number): Step => ({ kind: 'pause', ms });

/** Fails with an HTTP status, or with an error event if the reply has already begun. */
export const fail = (status: number, message = 'scripted failure', { times = Infinity }: Times = {}): Step => ({
  kind: 'fail',
  status,
  message,
  times,
});

/** Fails as overloaded for the first `times` attempts, then continues. */
export const overloaded = (times = 1): Step => fail(529, 'Overloaded', { times });

/** Drops the connection without ending the reply. */
export const cut = ({ times = Infinity }: Times = {}): Step => ({ kind: 'cut', times });

/** Sends nothing more and keeps the connection open until the agent or the server closes it. */
export const hang = (): Step => ({ kind: 'hang' });

/** Ends the reply as if the model had used up its output tokens. */
export const runOutOfTokens = (): Step => ({ kind: 'runOut' });

function toolCall(call: ToolCall): Step {
  return { kind: 'call', call };
}
