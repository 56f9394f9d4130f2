import type { NativeSummary } from './native-sessions.ts';

/** Where an agent keeps its conversations and what their files say. */
export interface NativeListing {
  /** The folder that is walked. It need not exist. */
  readonly folder: string;
  readonly format: ListingFormat;
}

/**
 * How one kind of agent stores conversations. Everything here is synchronous and needs nothing but its arguments, because
 * it runs in a thread of its own, which finds it by its name.
 */
export interface ListingFormat {
  /** Ends with the version of its rules: what other rules made of a file is not used. */
  readonly name: string;
  /** How many folders are between the folder that is walked and the files. */
  readonly depth: number;
  isFolder(name: string): boolean;
  /** Undefined for a file that is no conversation. */
  nativeIdOf(fileName: string): string | undefined;
  /** The agent put it away, which its file does not say. `names`: what is in its folder. */
  isArchived?(folder: string, nativeId: string, names: ReadonlySet<string>): boolean;
  /** Undefined for a conversation that is not listed. May throw. */
  summarise(nativeId: string, file: FileEnds): NativeSummary | undefined;
}

/** The two ends of a file. What one call returned is gone with the next one for the same end. */
export interface FileEnds {
  readonly size: number;
  /** When something was last written to it. */
  readonly modifiedAt: string;
  /** The first bytes: as many as asked for, or all there are. */
  head(bytes: number): Buffer;
  tail(bytes: number): Buffer;
}
