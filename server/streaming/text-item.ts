import type { Clock } from '../clock.ts';
import { createBatchGradient } from './batch-gradient.ts';
import type { Batching } from './batching.ts';
import type { Emission, ItemIdentity, OpenItem } from './open-item.ts';
import type { Origin } from './stream-actions.ts';
import { createTokenCounter } from './token-counter.ts';

export interface FinalText {
  /** Replaces the buffered text. */
  readonly content?: string | undefined;
  readonly origin?: Origin | undefined;
  readonly providerId?: string | undefined;
}

/** The text that was added since the last upsert, and the length before it was added. */
export interface TextGrowth {
  readonly at: number;
  readonly text: string;
}

export interface TextEmission extends Emission {
  readonly content: string;
  /** Set if the content is the previously emitted content plus this. */
  readonly growth?: TextGrowth | undefined;
  readonly final?: FinalText | undefined;
}

export interface TextItem extends OpenItem {
  readonly kind: 'text';
  append(text: string, sourceTimestamp: string): void;
  complete(final: FinalText, sourceTimestamp: string): void;
}

export interface TextItemOptions {
  readonly identity: ItemIdentity;
  readonly clock: Clock;
  readonly batching: Batching;
  readonly emit: (emission: TextEmission) => void;
}

/**
 * Buffers the text of one message or thinking block and pushes it by gradient and deadline. Each push carries the whole
 * text and what was added since the previous push. The whole text is never read, so the cost stays linear.
 */
export function createTextItem({ identity, clock, batching, emit }: TextItemOptions): TextItem {
  const tokens = createTokenCounter();
  const gradient = createBatchGradient(batching.batchGradientTokens);
  let text = '';
  let sentTokens = 0;
  let sentLength = 0;
  /** Text added since the last push. */
  let unsent = '';
  let isShown = false;
  let latestSource = '';
  /** Set while there is unsent text. */
  let deadline: { readonly timer: unknown } | undefined;

  const disarm = () => {
    if (deadline !== undefined) clock.clearTimeout(deadline.timer);
    deadline = undefined;
  };

  const push = () => {
    disarm();
    sentTokens = tokens.count;
    const status = isShown ? 'update' : 'create';
    const growth = isShown ? { at: sentLength, text: unsent } : undefined;
    isShown = true;
    sentLength = text.length;
    unsent = '';
    emit({ item: identity, status, content: text, growth, sourceTimestamp: latestSource });
  };

  /** A final text that does not extend the emitted text replaces it. */
  const finalGrowth = (content: string | undefined): TextGrowth | undefined => {
    if (!isShown) return undefined;
    if (content === undefined || content === text) return { at: sentLength, text: unsent };
    return content.startsWith(text) ? { at: sentLength, text: content.slice(sentLength) } : undefined;
  };

  const end = (ending: Omit<TextEmission, 'item' | 'content' | 'growth'>) => {
    disarm();
    const content = ending.final?.content;
    emit({ item: identity, content: content ?? text, growth: finalGrowth(content), ...ending });
  };

  return {
    ...identity,
    kind: 'text',
    append(delta, sourceTimestamp) {
      if (delta === '') return;
      text += delta;
      unsent += delta;
      latestSource = sourceTimestamp;
      tokens.add(delta);
      if (gradient.isExceededBy(tokens.count - sentTokens)) push();
      else deadline ??= { timer: clock.setTimeout(push, batching.batchTimeoutMs) };
    },
    complete: (final, sourceTimestamp) => end({ status: 'complete', sourceTimestamp, final }),
    fail: (failure, sourceTimestamp) => end({ status: 'error', sourceTimestamp, failure }),
    drop: disarm,
    endWithTurn(ending, sourceTimestamp) {
      if (text === '' && !isShown) return;
      if (ending === 'completed') end({ status: 'complete', sourceTimestamp });
      // A cancelled item is neither complete nor failed: push the rest of its text and leave the state to the turn.
      else if (ending !== 'cancelled') end({ status: 'error', sourceTimestamp, failure: ending });
      else if (deadline !== undefined) push();
    },
  };
}
