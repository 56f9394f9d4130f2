import type { Block } from './parse-blocks.ts';

/** A fenced code block that has not been closed yet. */
export interface OpenFence {
  readonly code: (source: string) => string;
  /** Whether the source may have closed the fence. Skips lines that were complete in an earlier call. */
  readonly mayBeClosed: (source: string) => boolean;
}

const OPENING = /^(`{3,}|~{3,})[^\n]*\n/;

/**
 * Returns the fence that `block`, at `start` of the source, has opened but not closed. Indented fences are not
 * supported, because their text is not verbatim.
 */
export function findOpenFence(block: Block | undefined, start: number, source: string): OpenFence | undefined {
  if (block?.type !== 'code') return undefined;
  const opening = OPENING.exec(block.raw);
  const marks = opening?.[1];
  if (!opening || marks === undefined || !source.startsWith(block.raw, start)) return undefined;

  const closing = new RegExp(`^ {0,3}${marks.charAt(0)}{${marks.length},} *$`, 'm');
  const contentStart = start + opening[0].length;
  let lineStart = contentStart;
  const fence: OpenFence = {
    code: (text) => text.slice(contentStart).replace(/\n$/, ''),
    mayBeClosed(text) {
      if (closing.test(text.slice(lineStart))) return true;
      lineStart = Math.max(lineStart, text.lastIndexOf('\n') + 1);
      return false;
    },
  };
  return fence.mayBeClosed(source) ? undefined : fence;
}
