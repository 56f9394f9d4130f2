export interface BatchGradient {
  /** Returns whether this many unsent tokens should be pushed now, and if so moves past every threshold they cross. */
  isExceededBy(unsentTokens: number): boolean;
}

export function createBatchGradient(thresholds: readonly number[]): BatchGradient {
  let index = 0;
  const threshold = () => thresholds[index] ?? Number.POSITIVE_INFINITY;

  return {
    isExceededBy(unsentTokens) {
      if (unsentTokens <= threshold()) return false;
      let rest = unsentTokens;
      while (index < thresholds.length - 1 && rest > threshold()) {
        rest -= threshold();
        index += 1;
      }
      return true;
    },
  };
}
