/** When buffered text is pushed. A token is a word between white space. */
export interface Batching {
  /**
   * A push happens when the unsent tokens exceed this value. Each push moves on to the next value; the last one
   * repeats. With an empty list, only the deadline and the end of the item push.
   */
  readonly batchGradientTokens: readonly number[];
  /** The longest time that text waits, counted from the first unsent delta. */
  readonly batchTimeoutMs: number;
}

export const PROCESSOR_BATCHING: Batching = { batchGradientTokens: [10, 20, 40, 80, 120], batchTimeoutMs: 1000 };

/** The leading 0 pushes the first token at once. The last step only counts above 4,800 tokens a second. */
export const LIVE_BATCHING: Batching = { batchGradientTokens: [0, 10, 20, 40, 80, 120, 240], batchTimeoutMs: 50 };
