import type { Conversation } from './conversation.ts';
import type { Reply, Scenario } from './scenario.ts';

/** A string matches as a whole word, ignoring case; a pattern matches as it is. */
export interface Rule {
  readonly when: string | RegExp;
  readonly scenario: Scenario;
}

/** The replies of the first rule that matches the prompt, otherwise those of the fallback. */
export function chooseReplies(
  rules: readonly Rule[],
  fallback: Scenario,
  conversation: Conversation,
): readonly Reply[] {
  const scenario = rules.find((rule) => matches(rule.when, conversation.prompt))?.scenario ?? fallback;
  return typeof scenario === 'function' ? scenario(conversation) : scenario;
}

function matches(when: string | RegExp, prompt: string): boolean {
  if (typeof when !== 'string') return prompt.search(when) >= 0;
  const escaped = when.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(prompt);
}
