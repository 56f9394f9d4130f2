import type { SessionId } from '../../shared/ids.ts';

/** A file in which an agent keeps a conversation, or a part of it. */
export interface NativeFile {
  readonly path: string;
  /** The path below the agent's home directory, with `/`. The agent finds a file that is put there. */
  readonly name: string;
}

/** The files of one conversation: the conversation itself first, then those of its sub-agents and tools. */
export interface NativeSession {
  /** The agent's own id of the conversation. */
  readonly nativeId: string;
  /** Where it was started, if its files say so. */
  readonly cwd: string | undefined;
  readonly files: readonly NativeFile[];
}

/** Where an agent keeps its conversations. Nothing here starts a process, writes, or asks the agent. Never rejects. */
export interface NativeFiles {
  /** The agent's home directory: names of files are relative to it. */
  home(): string;
  /** The agent's own id of a session, which is not always part of the session's id. */
  nativeIdOf(sessionId: SessionId): string;
  /** Undefined if the agent has no conversation with this id. */
  find(nativeId: string, projectDir: string): Promise<NativeSession | undefined>;
  /** All conversations that were started in these directories or below them, here or in a terminal. */
  list(projectDirs: readonly string[]): AsyncIterable<NativeSession>;
}
