/** Runs what concerns the same thing one after the other; a failure does not stop those behind it. */
export type InLine = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createWaitingLines(): InLine {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.catch(() => {});
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return result;
  };
}
