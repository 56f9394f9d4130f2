import type { Clock } from '../clock.ts';
import { createBatchGradient } from './batch-gradient.ts';
import type { Batching } from './batching.ts';
import type { Emission, ItemIdentity, OpenItem } from './open-item.ts';
import type { Origin } from './stream-actions.ts';
import { createTokenCounter } from './token-counter.ts';

export interface FinalText {
  /** Replaces what was gathered. */
  readonly content?: string | undefined;
  readonly origin?: Origin | undefined;
  readonly providerId?: string | undefined;
}

/** What was added to a text since it was last emitted: `text`, at the length `at`. */
export interface TextGrowth {
  readonly at: number;
  readonly text: string;
}

export interface TextEmission extends Emission {
  readonly content: string;
  /** Set when the content is what was emitted before plus this. */
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
 * Gathers the text of one message or thought and pushes it by gradient and deadline. Each push has the whole text, and
 * what was added since the one before; the whole is never looked at, so that a long text costs no more than its length.
 */
export function createTextItem({ identity, clock, batching, emit }: TextItemOptions): TextItem {
  const tokens = createTokenCounter();
  const gradient = createBatchGradient(batching.batchGradientTokens);
  let text = '';
  let sentTokens = 0;
  let sentLength = 0;
  /** Added since the last push. */
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

  /** A final text that begins otherwise than what was shown replaces it. */
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
      // What was cut short is neither complete nor failed: its last words go out, the turn tells the rest.
      else if (ending !== 'cancelled') end({ status: 'error', sourceTimestamp, failure: ending });
      else if (deadline !== undefined) push();
    },
  };
}
