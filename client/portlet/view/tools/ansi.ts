import { escapeInvisible } from '../../../shared/escape-invisible.ts';
import { createAnsiStyle } from './ansi-style.ts';

/** A run of text with the same style. `classes` are names from the stylesheet, such as `ansi-red ansi-bold`. */
export interface AnsiRun {
  readonly text: string;
  readonly classes: string;
}

/** Text after this many runs has no style: every run is an element on the page. */
const MAX_RUNS = 4_000;

/**
 * SGR sequences (group 1), all other escape sequences, an escape that is cut off at the end, characters that move the
 * cursor, and text.
 */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains control characters
  /\u001B\[([\d;:]*)m|\u001B\[[\d;:?<=>!]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]|\u001B|\r\n|[\n\r\b]|[^\u001B\n\r\b]+/g;

/**
 * Splits terminal output into styled runs, in one pass. Drops other escape sequences and text that `\r` or `\b`
 * overwrites.
 */
export function parseAnsi(output: string): AnsiRun[] {
  const style = createAnsiStyle();
  const runs = createRuns();
  let line: AnsiRun[] = [];
  /** A carriage return takes effect with the text after it: at the end of a line it only belongs to the line end. */
  let returns = false;

  function endLine(): void {
    for (const piece of line) runs.add(piece.text, piece.classes);
    line = [];
    returns = false;
  }

  for (const [token, parameters] of output.matchAll(TOKEN)) {
    if (parameters !== undefined) style.apply(parameters);
    else if (token === '\b') removeLast(line);
    else if (token === '\r') returns = true;
    else if (token === '\n' || token === '\r\n') {
      endLine();
      runs.add('\n', style.classes());
    } else if (!token.startsWith('\u001B')) {
      if (returns) line = [];
      returns = false;
      line.push({ text: token, classes: style.classes() });
    }
  }
  endLine();
  return runs.take();
}

/** Removes the last character of a line. Text is only ever cut, never joined, so that this takes constant time. */
function removeLast(line: AnsiRun[]): void {
  const last = line.pop();
  if (last === undefined) return;
  const code = last.text.charCodeAt(last.text.length - 1);
  const isPair = code >= 0xdc00 && code <= 0xdfff;
  const text = last.text.slice(0, isPair ? -2 : -1);
  if (text !== '') line.push({ text, classes: last.classes });
}

/** Joins neighbours with the same style. */
function createRuns() {
  const runs: AnsiRun[] = [];
  let texts: string[] = [];
  let classes = '';

  function end(): void {
    if (texts.length > 0) runs.push({ text: escapeInvisible(texts.join('')), classes });
    texts = [];
  }

  return {
    add(text: string, wanted: string): void {
      const next = runs.length < MAX_RUNS - 1 ? wanted : '';
      if (next !== classes) end();
      classes = next;
      texts.push(text);
    },
    take(): AnsiRun[] {
      end();
      return runs;
    },
  };
}
