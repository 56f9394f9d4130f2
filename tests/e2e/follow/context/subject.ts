import type { CliProvider } from '../../../../server/engine/provider-types.ts';
import type { createRandom } from '../../../support/seeded-random.ts';

export type Random = ReturnType<typeof createRandom>;

/** Files of one conversation as an agent wrote them in a terminal. */
export interface Base {
  readonly name: string;
  /** The ids that a copy needs others for: first that of the conversation. */
  readonly ids: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** Changes the text of a file. */
export type Fault = (text: string, random: Random) => string;

/** One message of a request, reduced to what can be told from files. */
export type Message = object;

export interface Sent {
  /** Without the prompt. */
  readonly messages: readonly Message[];
  /**
   * How many there are before the one with the prompt, which may begin with something else. Two numbers if some of them
   * have nothing but reminders.
   */
  readonly before: readonly number[];
}

/** An agent whose context is worked out from its files, and looked at in the requests of the real program. */
export interface Subject {
  readonly provider: CliProvider;
  readonly projectDir: string;
  readonly bases: readonly Base[];
  readonly faults: Readonly<Record<string, Fault>>;
  /** An id as the agent makes them, for a copy. */
  newId(like: string): string;
  /** Continues the conversation with the agent's own program, and kills that after a while. */
  killWhileItWrites(nativeId: string, random: Random): Promise<void>;
  /** What the server works out. Undefined if it says that it cannot. */
  predict(nativeId: string): Promise<readonly Message[] | undefined>;
  /** What the last request with this prompt held. */
  sent(prompt: string): Sent | undefined;
  close(): Promise<void>;
}
