/**
 * Changes the contents of a container without losing the focus: a moved element keeps it, a removed one passes it to
 * the element that takes its place.
 */
export function keepFocus(container: HTMLElement, stops: () => readonly HTMLElement[], change: () => void): void {
  const held = document.activeElement;
  if (!(held instanceof HTMLElement) || !container.contains(held)) {
    change();
    return;
  }
  const at = stops().findIndex((stop) => stop === held || stop.parentElement?.contains(held));
  change();
  // The change may have moved the focus itself.
  if (container.contains(document.activeElement)) return;
  if (held.isConnected) {
    held.focus();
    return;
  }
  const left = stops();
  left[Math.min(Math.max(at, 0), left.length - 1)]?.focus();
}
