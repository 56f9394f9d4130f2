const MOST_LINES = 12;

/** Gives a text field the height of its text, one line at least and twelve at most. */
export function fitToText(field: HTMLTextAreaElement): void {
  // An unseen page has no heights to measure.
  if (field.clientWidth === 0) return;
  const style = getComputedStyle(field);
  const line = Number.parseFloat(style.lineHeight);
  const padding = Number.parseFloat(style.paddingTop) + Number.parseFloat(style.paddingBottom);
  const border = field.offsetHeight - field.clientHeight;
  field.style.height = 'auto';
  const lines = Math.round((field.scrollHeight - padding) / line);
  field.style.height = `${Math.min(Math.max(lines, 1), MOST_LINES) * line + padding + border}px`;
  field.style.overflowY = lines > MOST_LINES ? 'auto' : 'hidden';
}
