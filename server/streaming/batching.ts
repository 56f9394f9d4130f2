/** When gathered text is pushed. Tokens are words between white space. */
export interface Batching {
  /**
   * How many unsent tokens must be exceeded before the next push; each push moves on to the next value, the last one
   * repeats. With an empty list only the deadline and the end of the item push.
   */
  readonly batchGradientTokens: readonly number[];
  /** Text waits at most this long, counted from the first delta that was not pushed. */
  readonly batchTimeoutMs: number;
}

export const PROCESSOR_BATCHING: Batching = { batchGradientTokens: [10, 20, 40, 80, 120], batchTimeoutMs: 1000 };

/** The leading 0 pushes the first token at once. The last step only counts above 4,800 tokens a second. */
export const LIVE_BATCHING: Batching = { batchGradientTokens: [0, 10, 20, 40, 80, 120, 240], batchTimeoutMs: 50 };
