import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from './conversation.ts';
import { textOf } from './conversation.ts';

/** What the agents printed by item id. */
export function readTruth(directory: string): Map<string, string> {
  const printed = new Map<string, string>();
  for (const name of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, name), 'utf8').split('\n')) {
      const [, turnId, itemId, text] = /^(\S+) (\S+)\t(.*)$/.exec(line) ?? [];
      if (text !== undefined) printed.set(`${turnId}:agent:${itemId}`, text);
    }
  }
  return printed;
}

export interface TruthReport {
  readonly items: number;
  readonly tokens: number;
  /** In the text that is shown. */
  readonly characters: number;
  readonly flaws: readonly string[];
}

/**
 * Compares what a window shows with what was printed. If the agent was killed, the last token may be missing: it was
 * recorded but perhaps not printed.
 */
export function compareWithTruth(printed: ReadonlyMap<string, string>, shown: Iterable<Conversation>): TruthReport {
  const flaws: string[] = [];
  const left = new Map(printed);
  let tokens = 0;
  let characters = 0;
  for (const conversation of shown) {
    for (const [itemId, item] of conversation.items) {
      if (item.type !== 'message' || item.origin !== 'agent') continue;
      const truth = left.get(itemId);
      left.delete(itemId);
      const text = textOf(item);
      tokens += countTokens(text);
      characters += text.length;
      const isWhole = text === truth || (item.status === 'error' && text === truth?.replace(/\S+ $/, ''));
      if (!isWhole) flaws.push(`${itemId} (${item.status}) shows ${countTokens(text)} of ${countTokens(truth)} tokens`);
    }
  }
  for (const [itemId, text] of left) {
    if (countTokens(text) > 1) flaws.push(`${itemId} with ${countTokens(text)} tokens is not shown`);
  }
  return { items: printed.size, tokens, characters, flaws };
}

const countTokens = (text = ''): number => text.split(' ').length - 1;
