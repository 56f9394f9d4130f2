/** Runs `draw` once in the next animation frame, however often it is asked for until then. */
export function oncePerFrame(requestFrame: (callback: () => void) => void, draw: () => void): () => void {
  let isRequested = false;
  return () => {
    if (isRequested) return;
    isRequested = true;
    requestFrame(() => {
      isRequested = false;
      draw();
    });
  };
}
